/** An earlier session to remember: what was asked, done and answered in it, about things that have nothing to do with each other. */
import { expectNothingLeft, onlySession } from './memory.ts'
import { says, type Turn, uses } from './turn.ts'
import type { World } from './world.ts'

interface Exchange {
  prompt: string
  turns: (world: World) => Turn[]
}

export const RETRY_ANSWER =
  'We decided to keep the retry cache in Redis with a lifetime of 90 seconds, because every deploy emptied the one in memory.'
export const JWT_ANSWER =
  'The clocks of the two machines differ. src/auth/jwt.ts allows a leeway of 30 seconds now, and the login works.'
export const KOREAN_ANSWER = '캐시 만료 시간은 오 분으로 정했습니다. 설정 파일에 적어 두었습니다.'

const EXCHANGES: readonly Exchange[] = [
  {
    prompt: 'The retry cache loses its entries. Where should it live?',
    turns: () => [uses('Bash', { command: 'echo redis-cli info memory' }), says(RETRY_ANSWER)],
  },
  {
    prompt: 'Tokens expire too early at the login, please repair it.',
    turns: (world) => [
      uses('Write', { file_path: world.file('src/auth/jwt.ts'), content: 'export const leeway = 30\n' }),
      says(JWT_ANSWER),
    ],
  },
  { prompt: '캐시 만료 시간을 정해 줘', turns: () => [says(KOREAN_ANSWER)] },
  {
    prompt: 'Paint the lighthouse on the start page.',
    turns: () => [says('The lighthouse is painted in red and white stripes, as on the postcard.')],
  },
  {
    prompt: 'How many boats fit into the harbour table?',
    turns: () => [
      uses('Bash', { command: 'echo 48 boats' }),
      says('The harbour table has room for 48 boats, twelve on each of its four piers.'),
    ],
  },
  {
    prompt: 'Rename the tide service.',
    turns: () => [
      uses('Bash', { command: 'git frobnicate tide' }),
      says('The tide service is called moon now; git frobnicate does not exist, so nothing is committed yet.'),
    ],
  },
]

/** A person lives through it to its end, finisher included. Gives the first eight characters of the session's id. */
export async function liveThroughThePast(world: World): Promise<string> {
  world.model.script(EXCHANGES.flatMap(({ turns }) => turns(world)))
  const terminal = await world.terminal({ args: ['--allowedTools', 'Bash,Write'] })
  for (const { prompt } of EXCHANGES) await terminal.say(prompt)
  await terminal.exit()
  await expectNothingLeft(world)
  return onlySession(world)
}
