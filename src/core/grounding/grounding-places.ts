/** Identifiers with an address in a note (paths, members, URLs, packages, versions, commits, issues), and common names that need no source. */

import type { Numbers } from './grounding-numbers.ts'
import { findName, hasBeginning, hasMember, hasName, hasPath } from './grounding-text.ts'

export interface PlaceSource {
  /** Lower case, full-width characters narrowed. */
  text: string
  /** The same with slashes instead of backslashes. */
  slashed: string
  numbers: () => Numbers
}

export type Holds = (source: PlaceSource) => boolean

/** The context of a match in a note. */
export interface Around {
  before: string
  behind: string
  from: number
  to: number
  /** The numbers of the note. */
  numbers: () => Numbers
}

/** Null: not an identifier. */
export type Judge = (found: string, around: Around) => Holds | null

/** Up to this number “#2” may be the writer's own numbering. */
const OWN_NUMBERING = 10
/** The maximum distance of a version from its name: `"node": ">=20"`. */
const OWNER_CHARS = 24
const ISSUE_MARK = /(?:#|!|\/|\b[pm]r|issues?|pulls?|requests?|이슈|no\.?)[ /#-]{0,2}$/
const ISSUE_BEFORE =
  /(?:\b(?:issues?|prs?|mrs?|requests?|bugs?|tickets?|close[sd]?|fix(?:e[sd])?|resolve[sd]?|and)|이슈|버그) ?$/iu

export function judgeName(name: string): Holds {
  const lower = name.toLowerCase()
  const [, base = '', version = ''] = /^(.+)@(.+)$/.exec(lower) ?? []
  return ({ text }) => hasName(text, lower) || (base !== '' && hasName(text, base) && hasName(text, version))
}

export function judgeUrl(url: string): Holds {
  const place = url.toLowerCase().replace(/^https?:\/\/(?:www\.)?|\/+$/g, '')
  return ({ text }) => hasName(text, place)
}

export function judgeIssue(issue: string, { before }: Around): Holds | null {
  const number = issue.slice(1)
  if (Number(number) <= OWN_NUMBERING && !ISSUE_BEFORE.test(before)) return null
  return ({ text }) => findName(text, number, (at) => ISSUE_MARK.test(text.slice(Math.max(0, at - 12), at))) !== null
}

export function judgeFlag(flag: string, { before }: Around): Holds | null {
  // A single dash before a word is a flag only if no other reading is possible.
  if (!flag.startsWith('--') && (flag.length > 2 || !/(?:^|\s|\()$/.test(before))) return null
  const lower = flag.toLowerCase()
  return ({ text }) => hasName(text, lower)
}

/** 20 also matches 20.19.0; v2 matches 2. */
export function judgeVersion(version: string): Holds | null {
  if (/^(?:127\.0\.0\.1|0\.0\.0\.0)$/.test(version)) return null
  return ({ text }) => isVersion(text, version.toLowerCase().replace(/^v/, ''))
}

/** A version of one part needs a sign that it is one: v2, 20.19, “Node 20”. */
export function isVersion(text: string, number: string): boolean {
  for (let at = text.indexOf(number); at >= 0; at = text.indexOf(number, at + 1)) {
    const before = text.slice(Math.max(0, at - OWNER_CHARS), at)
    const behind = text.slice(at + number.length, at + number.length + OWNER_CHARS)
    // go1.25.6 and python3.12 have a version in their names.
    const isInWord = /[\d.a-uw-z_]$/.test(before) && !VERSIONED.test(before)
    if (isInWord || /^\d/.test(behind)) continue
    // 20.ts is a file; paper_v0.40.pdf has a version in its name.
    if (!number.includes('.') && /^\.\d*[a-z]/.test(behind)) continue
    if (number.includes('.') || before.endsWith('v') || /^\.\d/.test(behind)) return true
    if (VERSIONED.test(before.replace(/[\s:|@^~"'=<>≥≤]+$/, ' '))) return true
  }
  return false
}

export function judgeHash(hash: string): Holds {
  const lower = hash.toLowerCase()
  return ({ text }) => hasBeginning(text, lower)
}

export function judgePath(path: string): Holds | null {
  const [, name = '', lines = ''] = /^(.*?)((?::\d+)*)[/\\]?$/.exec(path.toLowerCase().replace(/\\+/g, '/')) ?? []
  const parts = name.split('/').filter((part) => part !== '')
  if (parts.every((part) => /^\d+$/.test(part)) || !isPathShaped(path, parts)) return null
  return ({ slashed }) => {
    const isThere =
      hasPath(slashed, name) ||
      (parts.length > 1 && parts.every((part) => FILE_ENDING.test(part) && hasName(slashed, part)))
    return isThere && hasLines(slashed, lines)
  }
}

/** `client/server` and `and/or` are not paths. */
function isPathShaped(path: string, parts: readonly string[]): boolean {
  if (parts.length > 2 || /^[/\\.~]|[/\\]$|[\d_.@*$-]|\\/.test(path)) return parts.some((part) => !isCommonName(part))
  return ROOTS.test(path)
}

export function judgeDotted(name: string): Holds | null {
  const [, base = '', lines = ''] = /^(.*?)((?::\d+)*)$/.exec(name) ?? []
  // Skips e.g., i.e., U.S.
  if (isCommonName(base) || base.split('.').every((part) => part.length < 2)) return null
  const lower = base.toLowerCase()
  const isFile = FILE_ENDING.test(base)
  return ({ text, slashed }) => (isFile ? hasName(slashed, lower) : hasMember(text, lower)) && hasLines(text, lines)
}

function hasLines(text: string, lines: string): boolean {
  return lines
    .split(':')
    .filter((line) => line !== '')
    .every((line) => hasName(text, line))
}

/** In scripts without spaces, only the last characters certainly belong to the name. */
export function judgeForeignFile(name: string): Holds {
  const [, stem = '', ending = ''] = /^(.*?)(\.\w+)$/.exec(name) ?? []
  const isSpaced = /^[\p{Script=Hangul}_-]+$/u.test(stem)
  return ({ text }) => text.includes((isSpaced ? stem : stem.slice(-2)) + ending)
}

/** Lower case. Only names that look like identifiers (inner capitals, digits, dots) need to be listed. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  `typescript javascript github gitlab bitbucket postgresql mysql sqlite nosql mongodb mariadb
  dynamodb duckdb clickhouse bigquery rabbitmq graphql openapi
  oauth oauth2 openid webauthn webrtc websocket webassembly webgl webgpu webpack webkit webview devops devtools
  gitops macos ios iphone ipad icloud ebay youtube linkedin facebook whatsapp tiktok
  paypal chatgpt openai deepseek huggingface pytorch tensorflow numpy   fastapi sqlalchemy jetbrains intellij pycharm vscode powershell freebsd centos
  cloudfront cloudflare cloudwatch cloudformation openshift circleci   digitalocean datadog latex javadoc jsdoc tsdoc eslint pnpm
  npm monorepo jsx tsx html5 css3 http2
  http3 ipv4 ipv6 utf8 utf16 sha1 sha256 sha512 md5 base64 aes128 aes256 ed25519 x86 x64 x8664 iso8601 rfc3339 arm64
  amd64 i386 i18n l10n a11y k8s s3 ec2 p50 p90 p95 p99 mp3 mp4 2fa 3d 2d 4k 5g b2b b2c e2e   node.js nodejs next.js nextjs vue.js vuejs three.js d3.js chart.js socket.io asp.net .net
  camelcase pascalcase snake_case kebab-case screaming_snake_case uppercase lowercase readme changelog dockerfile makefile
  json jsonl ndjson yaml toml bugfix hotfix todo mcp claude.ai claude.md aws gcp localhost   gmbh macbook pypi onedrive sharepoint powerpoint wordpress stackoverflow   openssl openssh swiftui uikit jquery rxjs nestjs postcss tailwindcss elasticsearch minio grpc trpc mtls ebpf
  junit pytest mypy bitcoin opengl   dropdown popup onboarding signup wifi iot paas saas iaas qa phd mvp poc llm gpu cpu url api`
    .split(/\s+/)
    .filter((name) => name !== ''),
)

/** Constants and types of programming languages: they may occur in code spans without a source. */
const LANGUAGE_WORDS: ReadonlySet<string> = new Set(
  `true false null nil none undefined nan void string number boolean object array int float any unknown never async await
  const let var function class interface type import export default return throw try catch finally if else for while switch
  case new this self static public private readonly enum struct fn def lambda yield`
    .split(/\s+/)
    .filter((name) => name !== ''),
)

/** After one of these names a bare number is a version: “Node 20”. */
export const VERSIONED =
  /(?:^|[^\p{L}])(?:node(?:\.?js)?|deno|bun|python|java|jdk|php|ruby|go|golang|rust|typescript|kotlin|swift|scala|elixir|perl|react|vue|angular|svelte|next(?:\.?js)?|nuxt|django|rails|laravel|spring boot|spring|express|electron|tailwind(?: css)?|bootstrap|webpack|vite|vitest|jest|mocha|eslint|prettier|biome|babel|rollup|esbuild|npm|pnpm|yarn|postgres(?:ql)?|mysql|mariadb|redis|mongo(?:db)?|sqlite|elasticsearch|kafka|nginx|ubuntu|debian|alpine|fedora|centos|windows|macos|ios|android|docker|kubernetes|terraform|claude|opus|sonnet|haiku|gpt|gemini|llama|unity|flutter|gradle|maven|cmake|gcc|clang|openssl|tls|version|버전|バージョン|版本)[ -]?$/iu

const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|d\.ts|json[lc5]?|md|mdx|txt|ya?ml|toml|ini|cfg|conf|env|lock|log|csv|tsv|xml|html?|s?css|sass|less|vue|svelte|astro|py|pyi|ipynb|rb|go|rs|java|kts?|swift|scala|clj|exs?|erl|hs|php|pl|lua|r|jl|c|h|cc|cpp|hpp|cs|fs|m|mm|sh|bash|zsh|fish|ps1|bat|cmd|sql|db|sqlite3?|graphql|gql|proto|prisma|tf|tfvars|gradle|properties|plist|png|jpe?g|gif|svg|webp|ico|pdf|docx?|xlsx?|pptx?|zip|tar|t?gz|bz2|7z|jar|war|wasm|so|dll|exe|map|snap|patch|diff|bak|tmp|pem|crt|key|tex|bib|rst|adoc)$/i

/** Directories and branch prefixes: `src/auth` is a path, `client/server` is not. */
const ROOTS =
  /^(?:src|tests?|spec|lib|apps?|packages|docs?|bin|dist|build|out|scripts?|components|pages|public|static|assets|config|cmd|internal|pkg|utils?|hooks|services|models|routes|controllers|views|migrations|node_modules|vendor|feature|feat|fix|bugfix|hotfix|release|chore|refactor|origin|upstream|refs|etc|usr|var|tmp|home|opt)\//i

export function isCommonName(name: string): boolean {
  const lower = name.toLowerCase()
  return COMMON_NAMES.has(lower) || COMMON_NAMES.has(lower.replace(/s$/, '')) || /^es(?:[56]|20[12]\d)$/.test(lower)
}

export function isLanguageWord(word: string): boolean {
  return LANGUAGE_WORDS.has(word.toLowerCase())
}
