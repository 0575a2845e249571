/** The words that announce a secret, in many languages, and the value that follows such a word. */

export type NameKind =
  | 'password'
  | 'pass'
  | 'secret'
  | 'key'
  | 'weak'
  | 'signature'
  | 'authorization'
  | 'bearer'
  | 'basic'
  | 'cookie'
  | 'pin'
  | 'code'
  | 'salt'
  | 'phrase'
  | 'login'

export interface NameWord {
  kind: NameKind
  /** The word counts only if no letter precedes it. */
  isOwn: boolean
  /** The number of characters that belong to the word itself. */
  length: number
}

/** Kind, then words. `^`: only without a letter before it. `~` is a blank. A final symbol or blank must match but is not part of the word. */
const TABLE = `
password password passwd passwort kennwort passphrase passcode passwrd pswd pwd identified_by requirepass masterauth password_by wachtwoord lösenord lösenordet losenord adgangskode adgangskoden passord passordet key_content
^password psk mot_de_passe phrase_de_passe mdp contraseña contrasena clave senha palavra-passe parola parola_d'ordine hasło haslo heslo jelszó jelszo geslo lozinka şifre sifre mật_khẩu mat_khau kata_sandi katasandi salasana_on salasana: parool wifi-pass
password пароль парол лозинк κωδικός κωδικό كلمة_المرور كلمة_السر رمز_عبور סיסמה סיסמא סיסמת पासवर्ड รหัสผ่าน пасворд
password 密码 密碼 口令 パスワード パスフレーズ 合言葉 비밀번호 비번 암호 패스워드
pass pass
^password pw: pw= pw~ pw" pw' pw|
secret secret token credential credentials zugangsdaten identifiants connection_string connectionstring connection-string apikey
^secret creds credenziali credenciales credenciais pat= pat: jeton jwt= clé chave chiave llave ключ
secret токен секрет 令牌 密钥 密鑰 秘钥 トークン シークレット 秘密鍵 토큰 시크릿 キー ~키 스키 밀키 i키
key key schlüssel
weak auth private dsn hmac
signature sig signature
authorization authorization
bearer bearer
^basic basic~
cookie cookie
^pin pin puk cvv cvc cvv2 otp totp 暗証番号 핀번호 пин-код pin-code pincode pin_code
^code code codes código
^salt salt pepper
^phrase mnemonic mnemonics seed seed_phrase recovery_phrase secret_phrase backup_phrase 助记词 ニーモニック 시드 니모닉
^login login auth credentials( credential( connect( sequelize( jwt.sign( jwt.verify( createhmac( awscredentials( httpbasicauth( httpdigestauth( basicauth( basic_auth( networkcredential( passwordauthentication( mysqli( set_auth( setauth( getconnection( authenticate( signin( sign_in(
`.split('\n')

export function nameWords(): (readonly [word: string, of: NameWord])[] {
  return TABLE.filter((line) => line !== '').flatMap((line) => {
    const [head = '', ...words] = line.split(' ')
    const kind = head.replace('^', '') as NameKind
    return words
      .flatMap((entry) => spellings(entry.replaceAll('~', ' ')))
      .map((word) => {
        const length = /^[\x20-\x7e]*[\x20-\x2f:-@[-`{-~]$/.test(word) ? word.length - 1 : word.length
        return [word, { kind, isOwn: head.startsWith('^'), length }] as const
      })
  })
}

/** The scan ignores the case of English letters only. */
function spellings(word: string): string[] {
  const capital = word.charAt(0).toUpperCase() + word.slice(1)
  const isEnglish = /^[\x20-\x7e]/.test(word)
  return isEnglish ? [word] : [...new Set([word, capital, word.toUpperCase()])]
}

/** "Is", "was" and "to" in the languages above: the secret follows them. */
const COPULAS = new Set(
  `is was are be now to ist war lautet heißt est sont était c’est es era será é e è era foi to jest är er je là adalah ialah это był є je. = : - — – -> → := == as como als comme come som als: este naar auf till til para na brzmi luidt lyder that’s`.split(
    ' ',
  ),
)

export function isCopula(word: string): boolean {
  return COPULAS.has(word.toLowerCase().replace(/[:：]$/, '')) || /[\p{L}\d)"'”»][:：]$|^c['’]est$|'s$/iu.test(word)
}

export interface SecretValue {
  start: number
  end: number
  isQuoted: boolean
}

const QUOTE = /[bru]?(\\{0,4}(?:["'`]{3}|["'`])|[“„«「『‘])/iy
const CLOSING: Readonly<Record<string, string>> = { '“': '”', '„': '“', '«': '»', '「': '」', '『': '』', '‘': '’' }
// A Korean, Japanese or Chinese particle follows a value without a blank.
const BARE = /[^\u2e80-\uffef\s"'`,;&|<>(){}[\]\\]{1,4096}/y
const WHOLE_LINE = /[^\u2e80-\uffef\s"'`\\]{1,4096}(?=,?[ \t]{0,8}\r?$)/my
const BLOCK = /(?:![\w!]{1,20}[ \t]{1,4})?[|>][+-]?\d?[+-]?[ \t]{0,8}(?:#[^\r\n]{0,80})?(\r?\n|\\r?\\n)/y
const MOST_BLOCK_LINES = 200

const TAG = /!{1,2}\w{1,20}[ \t]{1,4}/y
const NEXT_LINE = /[ \t]{0,4}\r?\n[ \t]{1,40}(?=\S)/y

/** Reads a YAML value on the line below its name. */
export function readNextLine(text: string, at: number): SecretValue | null {
  const from = matchEnd(NEXT_LINE, text, at)
  const value = from === at ? null : readValue(text, from, true)
  return value === null || /^[\w.-]{1,80}:|^[-[{(]/.test(text.slice(from, from + 90)) ? null : value
}

/** `isLine`: the name begins its line, so that a value without quotes may extend to the end of the line. */
export function readValue(text: string, start: number, isLine: boolean): SecretValue | null {
  const at = matchEnd(TAG, text, start)
  QUOTE.lastIndex = at
  const quote = QUOTE.exec(text)
  if (quote !== null) {
    const end = endOfQuoted(text, QUOTE.lastIndex, quote[1] ?? '"')
    return end > QUOTE.lastIndex ? { start: QUOTE.lastIndex, end, isQuoted: true } : null
  }
  let end = matchEnd(isLine ? WHOLE_LINE : BARE, text, at)
  // `Password=x;Host=y` contains more than one value.
  if (end === at || /[;&]\w{1,40}=/.test(text.slice(at, end))) end = matchEnd(BARE, text, at)
  while (end > at && /[.,:;)]/.test(text.charAt(end - 1))) end--
  return end > at ? { start: at, end, isQuoted: false } : null
}

/** Ends at the same quote with as many backslashes. If there is none, the text was cut: ends at the next white space. */
function endOfQuoted(text: string, start: number, quote: string): number {
  const closing = CLOSING[quote] ?? quote
  const line = text.slice(start, start + 4096)
  const lineEnd = quote.length > 2 && !quote.startsWith('\\') ? -1 : line.search(/[\r\n]/)
  for (let end = line.indexOf(closing); end >= 0; end = line.indexOf(closing, end + 1)) {
    if (lineEnd >= 0 && end > lineEnd) break
    if (line.charAt(end - 1) !== '\\') return start + end
  }
  return matchEnd(/[^\s"'`\\]{1,4096}/y, text, start)
}

/** Reads the lines after `name: |` or `name: >-` that are indented deeper than the name. */
export function readBlock(text: string, at: number, nameStart: number): SecretValue | null {
  BLOCK.lastIndex = at
  const head = BLOCK.exec(text)
  if (head === null) return null
  const newline = (head[1] ?? '\n').includes('\\') ? '\\n' : '\n'
  const depth = indentOf(text, lineStart(text, nameStart, newline))
  let start = -1
  let end = -1
  let from = BLOCK.lastIndex
  for (let count = 0; count < MOST_BLOCK_LINES && from < text.length; count++) {
    const next = text.indexOf(newline, from)
    const to = next < 0 ? text.length : next
    const line = text.slice(from, to)
    if (line.trim() !== '') {
      if (indentOf(text, from) <= depth) break
      if (start < 0) start = from + (line.length - line.trimStart().length)
      end = from + line.replace(/(?:\\r|["'\s])+$/, '').length
    }
    from = to + newline.length
  }
  return end > start && start >= 0 ? { start, end, isQuoted: true } : null
}

const LINE_CHARS = 200

/** ReadTrace back at most the length of a line written by hand. */
export function lineStart(text: string, at: number, newline = '\n'): number {
  const from = Math.max(0, at - LINE_CHARS)
  const found = text.slice(from, at).lastIndexOf(newline)
  return found < 0 ? from : from + found + newline.length
}

function indentOf(text: string, from: number): number {
  let at = from
  while (text.charAt(at) === ' ' || text.charAt(at) === '-' || text.charAt(at) === '\t') at++
  return at - from
}

/** The end of a sticky pattern's match at this position; the position itself if it does not match. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
