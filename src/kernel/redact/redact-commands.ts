/** Finds secrets in the arguments of commands and in text piped into them. */
import { isLiteral, isPassword, isRandom } from './redact-judge.ts'
import { onceBehind, type Span, type Visit } from './redact-scan.ts'
import { findPairs } from './redact-web.ts'
import { lineStart } from './redact-words.ts'

interface Command {
  /** In the notation of `indexWords`. */
  word: string
  form: string
}

/** Each line: the form in which the secret is passed, then the commands that use this form. */
const TABLE = `
user curl wget http~ https~ xh~ lftp aria2c smbclient rpcclient smbmap
joined mysql mariadb 7z~ 7za~ rar~ unrar
-p docker_login podman_login buildah_login skopeo_login nerdctl_login helm_registry sshpass mongo az~login oc~login cf~login nxc~ twine psexec netexec crackmapexec evil-winrm rdesktop ncftp useradd usermod cypher-shell winexe wmiexec certutil
-P zip~ unzip sqlcmd osql bcp~ ipmitool mosquitto_pub mosquitto_sub
-w ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami security_
-a redis-cli
-AXc snmpwalk snmpget snmpset
-NP ssh-keygen
first convertto-securestring snmp-server_community
send send~" send_--_"
pass openssl
slash xfreerdp wfreerdp cmdkey schtasks wmic~ winrs slmgr signtool net_use
oracle sqlplus impdp expdp sqlldr
set gh~secret glab_variable fly_secrets flyctl_secrets doppler_secrets supabase_secrets kubectl_create_secret oc~create_secret aws_secretsmanager aws_ssm_put az~keyvault_secret vault_kv_put vault_write wrangler_secret heroku_config eas_secret railway_variables op~item_create op~item_edit
last1 net_use cargo_login vault_login ngrok_authtoken ngrok_config snyk_auth wandb_login ansible-vault_encrypt_string
last2 htpasswd rabbitmqctl_add_user rabbitmqctl_change_password wpa_passphrase net_user poetry_config composer_config dotnet_user-secrets netlify_env:set chamber_write redis-cli_config
pipe echo~ printf~ print~ write-output
here <<<
`.split('\n')

/** The commands and the function to call at each. */
export function commandWords(): (readonly [word: string, visit: Visit])[] {
  return readTable().map(
    (command) =>
      [
        command.word,
        (search, start) =>
          onceBehind(search, command.form, start, () => findInCommand(search.text, command, start, search.beside)),
      ] as const,
  )
}

function readTable(): Command[] {
  return TABLE.filter((line) => line !== '').flatMap((line) => {
    const [form = '', ...words] = line.split(' ')
    return words.map((word) => ({ word: word.replaceAll('~', ' '), form }))
  })
}

const MOST_CHARS = 2000
const VALUE = String.raw`(?:\\{0,4}"([^"\\\r\n]{3,256})|\\{0,4}'([^'\\\r\n]{3,256})|([^\s"'\\;|<>-][^\s"'\\;|<>]{2,255}))`
const patterns = new Map<string, RegExp>()

/** Compiled when the first command of this form occurs. */
function patternOf(form: string): RegExp {
  let pattern = patterns.get(form)
  if (pattern === undefined) {
    pattern = new RegExp(FORMS[form] ?? String.raw`[ \t]-[${form.slice(1)}][ \t=]{0,4}${VALUE}`, 'g')
    patterns.set(form, pattern)
  }
  return pattern
}

const FORMS: Readonly<Record<string, string>> = {
  user: String.raw`[ \t](?:(?:-u|-U|-a|--user|--auth|--proxy-user)(?:[ \t]{1,4}|=)?\\{0,4}["']?[^\s:"'%,\\]{0,100}[:%,]\\{0,4}["']?|--oauth2-bearer[ =]["']?)()()([^\s"'\\]{3,256})`,
  first: String.raw`^[ \t]{1,4}(?:-String[ \t]{1,4})?${VALUE}`,
  joined: String.raw`[ \t]-(?:h?p)(?=[^\s])${VALUE}`,
  pass: String.raw`(?:\bpass:|[ \t]-[kK][ \t]{1,4})${VALUE}`,
  slash: String.raw`[ \t]\/(?:p|rp|pw|pass|password|ipk)[: ]${VALUE}`,
  oracle: String.raw`[ \t='"][\w$#]{1,30}\/()()([^\s@\/"'\\]{4,60})`,
  set: String.raw`(?:--(?:body|value|secret-string|plaintext|text|literal|string-value|from-literal[= ]\\{0,4}["']?[\w.-]{1,80}|set)[= ]|[ \t]-[bvw][ \t]{0,4}|[ \t]\\{0,4}["']?[A-Za-z_][\w.-]{0,80}=)${VALUE}`,
}

const INPUTS: Readonly<Record<string, (text: string, rest: string, from: number, spans: Span[]) => void>> = {
  pipe: findPiped,
  here: findHere,
  send: findSent,
}

/** Returns the end of the text that was read: a command of the same form before that position belongs to this one. */
function findInCommand(text: string, { word, form }: Command, start: number, spans: Span[]): number {
  const end = start + word.length
  if (form !== 'here' && /[\w.-]/.test(text.charAt(start - 1))) return start
  const lineEnd = text.slice(end, end + MOST_CHARS).search(/[\r\n]|\\n/)
  const rest = text.slice(end, lineEnd < 0 ? end + MOST_CHARS : end + lineEnd)
  const findInput = INPUTS[form]
  if (findInput !== undefined) {
    findInput(text, rest, end, spans)
    return end + rest.length
  }
  const args = rest.split(/[ \t](?:&&|\|\|?|;)(?:[ \t]|$)/)[0] ?? ''
  // Also matches `mysqldump`, but not `mysqlx.foo`.
  if (!/^[\w.-]{0,12}(?:[ \t]|$)/.test(args) && !word.endsWith(' ') && !word.endsWith('_')) return start
  const line = ` ${args}`
  if (form.startsWith('last')) findLast(line, end - 1, Number(form.slice(4)), word, spans)
  else if (!word.startsWith('aws_ssm') || args.includes('SecureString'))
    for (const found of line.matchAll(patternOf(form))) pushValue(found, end - 1, spans)
  if (word === 'curl') findCookieFlags(line, end - 1, spans)
  return end + args.length
}

function pushValue(found: RegExpMatchArray, offset: number, spans: Span[]): void {
  const value = found[1] || found[2] || found[3] || ''
  const end = offset + (found.index ?? 0) + found[0].length
  if (isLiteral(value)) spans.push({ start: end - value.length, end, kind: 'password' })
}

const COOKIE_FLAG = /[ \t](?:-b|--cookie)[ \t=]{1,4}\\{0,4}["']?([^"'\r\n\\]{6,1024})/g

function findCookieFlags(line: string, offset: number, spans: Span[]): void {
  for (const found of line.matchAll(COOKIE_FLAG)) {
    const cookies = found[1] ?? ''
    findPairs(cookies, offset + found.index + found[0].length - cookies.length, spans)
  }
}

const ARGUMENT = /\\{0,4}"([^"\\\r\n]{0,256})\\{0,4}"|\\{0,4}'([^'\\\r\n]{0,256})\\{0,4}'|[^\s"']{1,256}/g
const NO_POSITIONAL = /^[-/>|]|^\\\\|^[A-Za-z]:$|^[<>&]/

/** The secret is the last argument that is not a flag, after at least `least - 1` others. */
function findLast(line: string, offset: number, least: number, word: string, spans: Span[]): void {
  if (word === 'htpasswd' && !/[ \t]-\w*b/.test(line)) return
  const positional = [...line.matchAll(ARGUMENT)].filter((found) => !NO_POSITIONAL.test(found[0]))
  const last = positional.at(-1)
  if (last === undefined || positional.length < least) return
  const value = last[1] ?? last[2] ?? last[0]
  const start = offset + last.index + last[0].indexOf(value)
  const isSecret =
    isLiteral(value) && value.length > 3 && (/[\d!@#$%^&*]/.test(value) || least > 1) && !/^[\w-]+=/.test(value)
  if (isSecret) spans.push({ start, end: start + value.length, kind: 'password' })
}

/** Commands that read a secret from their input, and names of files that contain one. */
const TAKES_SECRET =
  /stdin|\bsudo\b.{0,40} -S|chpasswd|\bpasswd\b|\bsecrets?\b|\blogin\b|with-token|-pass(?:in|out|phrase)?\b|passphrase|htpasswd|cryptsetup|\bkinit\b|smbpasswd|\bsu\b|\bvault\b|securestring/i
const HOLDS_SECRET = /^\S*(?:pass|secret|token|credential|netrc|pwd|\bpw\b)/i
const PIPED =
  /^(?:-\w{1,3} |(?:["']%s(?:\\n)?["']|%s) )*(["']?)([^\r\n|>"']{3,256}?|[^\s"'|>]{3,256})\1[ \t]{0,4}(\||>{1,2})[ \t]{0,4}([^\r\n|]{2,300}(?:\|[^\r\n]{0,200})?)/

function findPiped(_text: string, rest: string, offset: number, spans: Span[]): void {
  const found = PIPED.exec(rest.trimStart())
  if (found === null) return
  const [, quote = '', value = '', sign = '', taker = ''] = found
  const isEncoded = sign === '|' && /^base64\b(?! -[dD])/.test(taker)
  if (!(sign === '|' ? TAKES_SECRET : HOLDS_SECRET).test(taker) && !isEncoded) return
  const from = offset + rest.indexOf(quote + value, rest.length - rest.trimStart().length) + quote.length
  pushInput(value, from, isEncoded || sign !== '|' ? 'base64' : taker, spans)
}

function findHere(text: string, rest: string, from: number, spans: Span[]): void {
  const lineBefore = text.slice(lineStart(text, from), from - 3)
  const found = /^[ \t]{0,4}(["']?)([^\s"']{3,256}|[^"'\r\n]{3,256}(?=["']))/.exec(rest)
  if (found === null || !TAKES_SECRET.test(lineBefore)) return
  const value = found[2] ?? ''
  pushInput(value, from + found[0].length - value.length, lineBefore, spans)
}

/** Text that `expect` sends after a password prompt. */
function findSent(text: string, rest: string, from: number, spans: Span[]): void {
  const value = /^([^"\\\r\n]{4,128})\\{1,2}[rn]/.exec(rest)?.[1] ?? ''
  if (!isLiteral(value) || !/ass(?:word|phrase)/.test(text.slice(Math.max(0, from - 200), from))) return
  spans.push({ start: from, end: from + value.length, kind: 'password' })
}

/** Commands that change passwords read `user:password`. Text that is only encoded or written must look like a secret. */
function pushInput(value: string, from: number, taker: string, spans: Span[]): void {
  const colon = /^[\w.@-]{1,64}:/.exec(value)?.[0].length ?? 0
  const isPair = colon > 0 && /chpasswd|base64|secret/.test(taker)
  const secret = (isPair ? value.slice(colon) : value).replace(/\\[nr]$/, '').trimEnd()
  const start = from + (isPair ? colon : 0)
  if (!isLiteral(secret) || secret.length < 4) return
  if (taker === 'base64' && !isPair && !isLikely(secret)) return
  spans.push({ start, end: start + secret.length, kind: 'password' })
}

function isLikely(secret: string): boolean {
  return isRandom(secret) || (/\d/.test(secret) && !/\s/.test(secret) && isPassword(secret, false))
}
