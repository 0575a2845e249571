@node "%~dp0..\dist\cli.cjs" %*
