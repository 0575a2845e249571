# PowerShell prefers this to memory-keeper.cmd, for whose arguments cmd.exe would put values in the place of %NAME%.
$OutputEncoding = New-Object System.Text.UTF8Encoding $false
$cli = Join-Path $PSScriptRoot '..\dist\cli.cjs'
if ($MyInvocation.ExpectingInput) { $input | & node $cli @args } else { & node $cli @args }
exit $LASTEXITCODE
