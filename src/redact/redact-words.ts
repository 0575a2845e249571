/** The words that announce a secret, in the languages people type, and the words between them and the secret. */

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
  /** The word counts only where no letter stands right before it. */
  isOwn: boolean
  /** How many characters of the entry belong to the word. */
  length: number
}

/** Kind, words; `^`: own words only. `~` is a blank. A last sign or blank is looked for but is no part of the word. */
const TABLE = `
password password passwd passwort kennwort passphrase passcode passwrd pswd pwd identified_by requirepass masterauth password_by wachtwoord lösenord lösenordet losenord adgangskode adgangskoden passord passordet
^password psk mot_de_passe mdp contraseña contrasena clave senha palavra-passe parola parola_d'ordine hasło haslo heslo jelszó jelszo geslo lozinka şifre sifre mật_khẩu mat_khau kata_sandi katasandi salasana_on salasana: parool wifi-pass
password пароль парол лозинк κωδικός κωδικό كلمة_المرور كلمة_السر رمز_عبور סיסמה סיסמא סיסמת पासवर्ड รหัสผ่าน пасворд
password 密码 密碼 口令 パスワード パスフレーズ 合言葉 비밀번호 비번 암호 패스워드
pass pass
^pass pw: pw= pw~ pw" pw'
secret secret token credential credentials connection_string connectionstring connection-string apikey
^secret creds pat= pat: jeton jwt= clé chave chiave llave ключ
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

/** The scan folds the case of English letters only. */
function spellings(word: string): string[] {
  const capital = word.charAt(0).toUpperCase() + word.slice(1)
  const isEnglish = /^[\x20-\x7e]/.test(word)
  return isEnglish ? [word] : [...new Set([word, capital, word.toUpperCase()])]
}

/** "Is", "was" and "to" in the languages above: what follows is the secret itself. */
const COPULAS = new Set(
  `is was are be now to ist war lautet heißt est sont était c’est es era será é e è era foi to jest är er je là adalah ialah это był є je. = : - — – -> → := == as como als comme come som als: that’s`.split(
    ' ',
  ),
)

export function isCopula(word: string): boolean {
  return COPULAS.has(word.toLowerCase().replace(/[:：]$/, '')) || /[\p{L}\d)"'”»][:：]$|^c['’]est$|'s$/iu.test(word)
}
