/** The hooks with the paths of Windows. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { result, says } from '../support/transcript.ts'
import {
  captured,
  done,
  hook,
  idOf,
  makePlace,
  notOnce,
  playSession,
  playTurn,
  settle,
  transcriptOf,
  wordsOf,
} from './support/place.ts'

const OUR_TOOL = 'mcp__plugin_memory-keeper_memory__search_memory'

/** Names that a shell, a pattern or a code page could break. */
const NAMES = [
  ['Jane 홍길동', '바탕 화면\\가게 100%'],
  ['山田太郎', 'デスクトップ\\注文 & 在庫 (1)'],
] as const

export const hooks = (): void =>
  void describe('hooks', { concurrency: 2 }, () => {
    for (const [user, project] of NAMES)
      it(`all events of a session below ${user}\\${project}`, async () => {
        const place = makePlace({ user, project })
        const session = idOf(1)
        const transcript = transcriptOf(place, session)
        const typed = { command_source: 'plugin', expansion_type: 'slash_command' }

        await hook(place, session, 'SessionStart', { source: 'startup' })
        assert.match(await playTurn(place, 1, 0), /additionalContext/)
        const agents = path.join(transcript.replace(/\.jsonl$/, ''), 'subagents')
        fs.mkdirSync(agents, { recursive: true })
        const more = { cwd: place.root, sessionId: session, isSidechain: true, agentId: 'a1' }
        fs.writeFileSync(path.join(agents, 'agent-a1.jsonl'), says('AGENT-1 has looked', more))
        await hook(place, session, 'SubagentStop', { agent_id: 'a1' })
        const tool = { tool_name: OUR_TOOL, tool_input: { query: 'x' } }
        assert.match(await hook(place, session, 'PreToolUse', tool), /"permissionDecision":"allow"/)
        assert.match(await hook(place, session, 'PermissionRequest', tool), /"behavior":"allow"/)
        assert.match(await hook(place, session, 'PreCompact', { trigger: 'auto' }), /decisions/)
        assert.match(await hook(place, session, 'SessionStart', { source: 'compact' }), /ASK-1-0/)
        const shown = { ...typed, command_name: 'memory-keeper:memory-status', command_args: '' }
        assert.match(await hook(place, session, 'UserPromptExpansion', shown), /"block"/)
        const order = {
          ...typed,
          command_name: 'memory-keeper:run',
          command_args: 'rules add "금요일에는 배포하지 않는다"',
        }
        assert.match(await hook(place, session, 'UserPromptExpansion', order), /"block"/)
        assert.match(await playTurn(place, 1, 1), /금요일에는/)
        await hook(place, session, 'SessionEnd', { reason: 'other' })
        await settle(place)

        assert.deepEqual(notOnce(place, [...wordsOf(1, 2), 'AGENT-1 ']), [])
        assert.match(await hook(place, idOf(2), 'SessionStart', { source: 'startup' }), /ASK-1-0/)
        assert.match(await done(place, 'verify'), /complete: nothing/)
      })

    it('one directory has one memory, whoever spells it how', async () => {
      const place = makePlace({ project: 'My Shop' })
      const { root } = place
      const forward = root.replaceAll('\\', '/')
      const spellings = [`c${root.slice(1)}`, `c${forward.slice(1)}`, root.toUpperCase(), `${forward}/`]
      await playSession(place, 1, 1)
      for (const [i, cwd] of spellings.entries()) {
        const session = idOf(10 + i)
        const file = transcriptOf(place, session)
        await playTurn(place, 10 + i, 0, { cwd, transcript: i % 2 === 0 ? file : file.replaceAll('\\', '/') })
        await hook(place, session, 'SessionEnd', { reason: 'other' }, { cwd, transcript: file })
      }
      await settle(place)

      assert.deepEqual(notOnce(place, [...wordsOf(1, 1), ...spellings.flatMap((_, i) => wordsOf(10 + i, 1))]), [])
      assert.equal(fs.readdirSync(path.join(place.keeper, 'vault')).length, 1)
      assert.match(await done(place, 'verify'), /complete: nothing/)
    })

    it('a worktree has the memory of its main root', async () => {
      const place = makePlace()
      const side = path.join(place.home, 'side tree')
      const git = path.join(place.root, '.git')
      const own = path.join(git, 'worktrees', 'side')
      for (const dir of [own, side]) fs.mkdirSync(dir, { recursive: true })
      const slashed = (file: string): string => file.replaceAll('\\', '/')
      fs.writeFileSync(path.join(side, '.git'), `gitdir: ${slashed(own)}\r\n`)
      fs.writeFileSync(path.join(own, 'gitdir'), `${slashed(side)}/.git\r\n`)
      fs.writeFileSync(path.join(own, 'commondir'), '../..\r\n')
      const transcript = transcriptOf(place, idOf(1), side)
      await playSession(place, 1, 1, { cwd: side, transcript })
      await settle(place)

      assert.deepEqual(notOnce(place, wordsOf(1, 1)), [])
      assert.equal(fs.existsSync(path.join(side, '.claude')), false)
    })

    it('a transcript with Windows line ends, and a result of several lines', async () => {
      const place = makePlace()
      const session = idOf(1)
      const transcript = transcriptOf(place, session)
      await playTurn(place, 1, 0)
      const more = { cwd: place.root, sessionId: session }
      const lines = [result('late', 'one\r\ntwo', more), says('SAY-CRLF is here', more)]
      fs.appendFileSync(transcript, lines.join('').replaceAll('\n', '\r\n'))
      await hook(place, session, 'Stop', { last_assistant_message: '' })

      assert.deepEqual(notOnce(place, [...wordsOf(1, 1), 'SAY-CRLF ']), [])
      assert.ok(!captured(place).includes('\r'))
    })
  })
