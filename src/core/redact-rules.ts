/** Secrets that are known by their own shape: vendors' key formats, JSON web tokens, credentials in URLs. */

export interface Tally {
  count: number
}

/**
 * Kind, beginning, rest. The beginnings alone are searched for first. The least lengths are well below the real ones,
 * since a text may have been cut inside a token. Every quantifier is bounded, and a pattern that can fail after a long
 * run has a beginning that cannot occur inside that run.
 */
const TOKENS: readonly (readonly [kind: string, beginning: string, rest: string])[] = [
  ['aws-access-key-id', 'AKIA', '[A-Z0-9]{10,17}(?![a-z])'],
  ['aws-access-key-id', 'A(?:SIA|BIA|CCA)', '(?=[A-Z]{0,16}\\d)[A-Z0-9]{10,17}(?![a-z])'],
  ['aws-session-token', '(?:FwoGZXIvYXdz|IQoJb3JpZ2lu)', '[A-Za-z0-9+/=]{10,4096}'],
  ['github', 'gh[pour]_', '[A-Za-z0-9]{10,255}'],
  ['github', 'ghs_', '[\\w.-]{9,1024}\\w'],
  ['github', 'github_pat_', '\\w{10,255}'],
  ['gitlab', 'gl(?:pat|dt|rtr?|ptt|cbt|imt|agent|soat|ft|ffct|oas|wt)-', '[\\w-]{10,255}(?:\\.[\\w-]{2,40}){0,3}'],
  ['slack', 'xox[a-z](?:\\.xox[a-z])?-', '[\\w-]{10,400}'],
  ['slack', 'xapp-\\d-', '[\\w-]{10,400}'],
  ['anthropic', '(?<!-)sk-ant-', '[\\w-]{10,255}'],
  ['openai', '(?<!-)sk-(?:proj|svcacct|admin|None)-', '[\\w-]{10,300}'],
  ['openrouter', '(?<!-)sk-(?:or|lf)-', '[\\w-]{10,100}'],
  ['openai', '(?<!-)sk-', '(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{16,100}'],
  ['stripe', '[sr]k_(?:live|test)_', '[A-Za-z0-9]{10,255}'],
  ['stripe', 'whsec_', '[A-Za-z0-9+/=]{10,100}'],
  ['npm', 'npm_', '(?:[A-Za-z0-9]{36}|(?=[A-Za-z]{0,60}\\d)[A-Za-z0-9]{10,64})'],
  ['pypi', 'pypi-Ag', '[\\w-]{10,500}'],
  ['google-api-key', 'AIza', '[\\w-]{12,60}'],
  ['google-oauth', 'GOCSPX-', '[\\w-]{10,40}'],
  ['google-oauth', 'ya29\\.', '[\\w.-]{9,2048}[\\w-]'],
  ['google-oauth', '1//0', '[\\w-]{20,200}'],
  ['sendgrid', 'SG\\.', '(?=[\\w-]{0,60}\\d)[\\w-]{14,64}(?:\\.[\\w-]{1,64})?'],
  ['huggingface', '(?:hf|api_org)_', '(?=[a-z]{0,30}[A-Z0-9])[A-Za-z0-9]{12,64}'],
  ['digitalocean', 'do[opr]_v1_', '[a-f0-9]{10,64}'],
  ['twilio', 'SK[0-9a-f]{8}', '[0-9a-f]{16,24}'],
  ['mailgun', 'key-[0-9a-f]{8}', '[0-9a-f]{12,24}'],
  ['shopify', 'shp(?:at|ca|pa|ss|tka)_', '[A-Fa-f0-9]{10,64}'],
  ['databricks', 'dapi[0-9a-f]{8}', '[0-9a-f]{6,32}(?:-\\d)?'],
  ['vault', 'hv[sbr]\\.', '[\\w-]{10,300}'],
  ['doppler', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.', '(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{10,64}'],
  ['linear', 'lin_(?:api|oauth|wh)_', '[A-Za-z0-9]{10,80}'],
  ['notion', 'ntn_', '[A-Za-z0-9]{10,60}'],
  ['notion', 'secret_', '(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{20,60}'],
  ['cloudflare', 'v1\\.0-[0-9a-f]{8}', '[0-9a-f]{16}-[0-9a-f]{10,150}'],
  ['cloudflare', 'cf(?:ut|at|k)_', '[A-Za-z0-9]{20,80}'],
  ['heroku', 'HRKU-', '[\\w-]{10,80}'],
  ['jwt', '(?<!-)eyJ', '(?:hbGciO|0eXAiO|raWQiO|[\\w-]{8,8192}\\.eyJ)[\\w-]{4,8192}(?:\\.[\\w-]{1,8192}){0,4}'],
  ['age-key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{10,70}'],
  ['private-key', 'b3BlbnNzaC1rZXktdjE', '[A-Za-z0-9+/=]{10,8192}'],
  ['discord', '[MNO][\\w-]{23,27}\\.', '[\\w-]{6,7}\\.[\\w-]{20,40}'],
  ['docker', 'dckr_[po]at_', '[\\w-]{10,80}'],
  ['figma', 'figd_', '[\\w-]{10,80}'],
  ['postman', 'PMAK-', '[a-f0-9]{10,30}(?:-[a-f0-9]{1,40})?'],
  ['grafana', 'gl(?:sa|c)_', '[A-Za-z0-9+/=_]{14,400}'],
  ['newrelic', 'NR(?:AK|II|JS)-', '[A-Za-z0-9]{10,60}'],
  ['sentry', 'sntry[su]_', '[A-Za-z0-9+/=_]{10,400}'],
  ['supabase', 'sb(?:p|_secret)_', '[\\w-]{14,80}'],
  ['planetscale', 'pscale_(?:tkn|pw|oauth)_', '[\\w.-]{10,80}'],
  ['atlassian', 'AT(?:ATT|CTT)3x', '[\\w=-]{10,300}'],
  ['rubygems', 'rubygems_', '[0-9a-f]{10,60}'],
  ['model-api', '(?:gsk_|xai-|pplx-|tvly-|r8_)', '(?=[A-Za-z-]{0,100}\\d)[A-Za-z0-9-]{16,120}'],
  ['brevo', 'xkeysib-', '[0-9a-f]{10,80}(?:-\\w{1,40})?'],
  ['netlify', 'nfp_', '[A-Za-z0-9]{14,60}'],
  ['fly', 'f(?:m[12]|o1)_', '[\\w+/=-]{16,1024}'],
  ['square', 'sq0[a-z]{3}-', '[\\w-]{14,80}'],
  ['resend', 're_[A-Za-z0-9]{8}_', '[A-Za-z0-9]{10,40}'],
  ['terraform', 'atlasv1\\.', '[\\w-]{14,100}'],
]

/** Where a word begins although a letter stands before it: after a `\n` of JSON, a URL escape, an ANSI colour. */
const ESCAPE = '(\\\\[nrt]|%[0-9A-Fa-f]{2}|\\x1b\\[[0-9;]{0,8}m)'
const HAS_ESCAPE = /\\[nrt]\w|%[0-9A-Fa-f]{2}\w|\x1b\[/

/** Two that begin inside a word: the bot's number and the first characters of an Azure secret stay. */
const INNER_TOKENS = /(?<=\d{8,10}):(AA[\w-]{20,40})|(?<=[\w~.-]{3})(\dQ~[\w~.-]{31,34})/g

const DOCUMENTED = /example|x{5}|\*{3}|\.{3}|your[-_]|placeholder|redacted/

interface TokenPatterns {
  /** Cheap to compile and to run: most texts go no further. */
  hint: RegExp
  escapedHint: () => RegExp
  full: () => RegExp
  escapedFull: () => RegExp
}

let tokenPatterns: TokenPatterns | undefined

export function redactTokens(text: string, tally: Tally): string {
  if (!hasLongRun(text)) return text
  tokenPatterns ??= buildTokenPatterns()
  const { hint, escapedHint, full, escapedFull } = tokenPatterns
  let seen = text
  if (hint.test(seen)) seen = seen.replace(full(), (match, ...groups) => mark(match, '', groups, tally))
  if (HAS_ESCAPE.test(seen) && escapedHint().test(seen)) {
    seen = seen.replace(escapedFull(), (match, before, ...groups) => mark(match, before, groups, tally))
  }
  if (!seen.includes(':AA') && !seen.includes('Q~')) return seen
  return seen.replace(INNER_TOKENS, (match: string, telegram: string | undefined) => {
    if (isDocumented(match)) return match
    tally.count++
    return telegram === undefined ? '[redacted:azure]' : ':[redacted:telegram]'
  })
}

/** Characters of tokens: 1, digits among them: 2. */
const TOKEN_CHARACTERS = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-')
  TOKEN_CHARACTERS[character.charCodeAt(0)] = 1
for (const digit of '0123456789') TOKEN_CHARACTERS[digit.charCodeAt(0)] = 2
const SHORTEST_WITH_DIGIT = 13
const SHORTEST = 20

/** Every token has a long run of such characters, most texts have none: a quick look before the slow one. By hand, as no pattern is as fast. */
function hasLongRun(text: string): boolean {
  let run = 0
  let hasDigit = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const kind = code < 128 ? TOKEN_CHARACTERS[code] : 0
    if (kind === 0) {
      run = 0
      hasDigit = false
      continue
    }
    run++
    if (kind === 2) hasDigit = true
    if (run >= SHORTEST || (hasDigit && run >= SHORTEST_WITH_DIGIT)) return true
  }
  return false
}

function mark(match: string, kept: string, groups: readonly unknown[], tally: Tally): string {
  if (isDocumented(match)) return match
  tally.count++
  const kind = TOKENS[groups.findIndex((group) => group !== undefined)]?.[0] ?? 'secret'
  return `${kept}[redacted:${kind}]`
}

function buildTokenPatterns(): TokenPatterns {
  const beginnings = TOKENS.map(([, beginning]) => beginning).join('|')
  const whole = () => TOKENS.map(([, beginning, rest]) => `(${beginning}${rest})`).join('|')
  let full: RegExp | undefined
  let escapedFull: RegExp | undefined
  let escapedHint: RegExp | undefined
  return {
    hint: new RegExp(`\\b(?:${beginnings})`),
    escapedHint: () => (escapedHint ??= new RegExp(`${ESCAPE}(?:${beginnings})`)),
    full: () => (full ??= new RegExp(`\\b(?:${whole()})`, 'g')),
    escapedFull: () => (escapedFull ??= new RegExp(`${ESCAPE}(?:${whole()})`, 'g')),
  }
}

/** A key that a manual prints, or one of too few characters to be random. */
function isDocumented(value: string): boolean {
  return DOCUMENTED.test(value.toLowerCase()) || new Set(value.slice(-12)).size < 4
}

/** `scheme://user:password@host`: neither part holds a slash, so that no two URLs are read as one. */
const URL_PASSWORD = /(:\/\/[^\s/?#:@"'`<>()[\]{}\\]{0,128}:)([^\s/?#"'`<>\\]{1,256})@(?=[\w.[-])/g
/** The same where the text was cut before the host. */
const URL_PASSWORD_CUT = /(:\/\/[^\s/?#:@"'`<>()[\]{}\\]{0,128}:)([^\s/?#"'`<>\\@]{1,256})@?$/
/** `https://token@host` */
const URL_USER = /(:\/\/)((?=[A-Za-z_-]{0,60}\d)[\w-]{20,255}):?@(?=[\w.-])/g
/** Go's data source names have no scheme: `user:password@tcp(host)`. */
const DSN_PASSWORD = /(\b[\w.-]{1,64}:)([^\s:/"'`\\]{1,128})@(?=(?:tcp|unix)\()/g
const WEBHOOK =
  /(:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|(?:\w{1,10}\.)?discord(?:app)?\.com\/api(?:\/v\d{1,2})?\/webhooks|[\w-]{1,60}\.webhook\.office\.com\/webhookb2)\/)([\w/@-]{10,300})/g
const NO_URL_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd?|secret|token|\*+|x+|\.+|\$.*|%.*|\{.*|\[.*|<.*|your.*|…|port|\d{1,5}(?:[^\w].*)?)$/

export function redactUrls(text: string, tally: Tally): string {
  const replaceWith = (kind: string, tail: string) => (match: string, kept: string, value: string) => {
    if (NO_URL_PASSWORD.test(value.toLowerCase()) || isDocumentedUrl(value)) return match
    tally.count++
    return `${kept}[redacted:${kind}]${tail}`
  }
  let seen = text.replace(URL_PASSWORD_CUT, replaceWith('url-password', ''))
  if (seen.includes('@')) {
    seen = seen.replace(URL_PASSWORD, replaceWith('url-password', '@')).replace(URL_USER, replaceWith('url-user', '@'))
    if (seen.includes('@tcp(') || seen.includes('@unix('))
      seen = seen.replace(DSN_PASSWORD, replaceWith('url-password', '@'))
  }
  return /slack|discord|office/.test(seen) ? seen.replace(WEBHOOK, replaceWith('webhook', '')) : seen
}

function isDocumentedUrl(value: string): boolean {
  return value.length > 8 ? isDocumented(value) : DOCUMENTED.test(value.toLowerCase())
}
