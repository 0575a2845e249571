/** The commands at a Windows console, and what they do with its paths. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import {
  answered,
  asked,
  BIN,
  CMD,
  captured,
  cli,
  done,
  filesBelow,
  idOf,
  makePlace,
  notOnce,
  type Place,
  playSession,
  type Ran,
  run,
  settle,
  transcriptOf,
  turn,
  wordsOf,
} from './support/place.ts'

/** The line as a person types it, with our directory in PATH. */
function typed(place: Place, line: string, input = ''): Promise<Ran> {
  const env = { PATH: `${BIN};${place.env.PATH}` }
  return run(place, CMD, ['/d', '/s', '/c', `"${line}"`], { env, input, isVerbatim: true })
}

/** Transcripts that the host wrote before Memory Keeper was there. */
function writtenBefore(place: Place, n: number, cwd = place.root, words = turn(n, 0)): void {
  fs.writeFileSync(transcriptOf(place, idOf(n), cwd), asked(idOf(n), cwd, words) + answered(idOf(n), cwd, words))
}

export const commands = (): void =>
  void describe('commands', { concurrency: 2 }, () => {
    it('import reads what the host wrote before, however it spells the directory', async () => {
      const place = makePlace({ user: 'Jane Doe', project: '상점 앱' })
      writtenBefore(place, 1)
      writtenBefore(place, 2, `c${place.root.slice(1)}`)
      await done(place, 'import')
      await done(place, 'import')

      assert.deepEqual(notOnce(place, [...wordsOf(1, 1), ...wordsOf(2, 1)]), [])
      assert.match(await done(place, 'verify'), /complete: nothing/)
    })

    it('search finds Korean, Japanese, and a path with either slash', async () => {
      const place = makePlace()
      const said = [
        '결제 모듈의 반올림 오류를 고쳤다',
        '在庫の同期は毎晩三時に走る',
        'The rounding is in src\\billing\\round-cents.ts now',
      ]
      for (const [i, ask] of said.entries()) writtenBefore(place, i + 1, place.root, { ...turn(i + 1, 0), ask })
      await done(place, 'import')

      assert.match(await done(place, 'search', '반올림 오류'), /결제 모듈/)
      assert.match(await done(place, 'search', '在庫の同期'), /毎晩三時/)
      assert.match(await done(place, 'search', 'src/billing/round-cents.ts'), /rounding/)
      assert.match(await done(place, 'search', 'src\\billing\\round-cents.ts'), /rounding/)
    })

    it('forget leaves nothing, and restore brings back what git or a person deleted, but not that', async () => {
      const place = makePlace()
      await playSession(place, 1, 2)
      await playSession(place, 2, 1)
      await settle(place)
      await done(place, 'forget', '--query', 'SAY-1-1', '--yes')
      await settle(place)
      const everywhere = [
        ...filesBelow(place.memory),
        ...filesBelow(place.keeper),
        ...filesBelow(place.env.LOCALAPPDATA ?? ''),
      ]
      const left = everywhere.filter(
        (file) => !file.includes('.jsonl.lock') && fs.readFileSync(file).includes('SAY-1-1 '),
      )
      assert.deepEqual(left, [])
      fs.rmSync(place.memory, { recursive: true })
      await done(place, 'restore')
      await done(place, 'import')

      assert.ok(!captured(place).includes('SAY-1-1 '))
      const kept = [...wordsOf(1, 2), ...wordsOf(2, 1)].filter((word) => word !== 'SAY-1-1 ')
      assert.deepEqual(notOnce(place, kept), [])
    })

    it('memory-keeper.cmd passes words on, and the exit code back', async () => {
      const place = makePlace({ project: '내 가게 (1)' })
      await playSession(place, 1, 1)
      await settle(place)

      assert.match((await typed(place, 'memory-keeper status')).out, /Memory Keeper/)
      assert.equal((await typed(place, 'memory-keeper remember "우리는 pnpm & 탭을 쓴다"')).code, 0)
      assert.match(await done(place, 'notes', 'list'), /pnpm & 탭을/)
      assert.equal((await typed(place, 'memory-keeper show d999')).code, 1)
      assert.equal((await typed(place, 'memory-keeper nonsense')).code, 2)
      // cmd.exe itself puts the value in the place of a name between two percent signs: a text that must stay comes on standard input.
      const text = 'Use %PATH% in scripts, 100%'
      assert.equal((await typed(place, 'memory-keeper rules add --stdin', `${text}\r\n`)).code, 0)
      assert.match(await done(place, 'rules', 'list'), /Use %PATH% in scripts, 100%/)
    })

    it('no path of this machine leaves it by share or export', async () => {
      const place = makePlace({ user: 'Jane Doe' })
      await playSession(place, 1, 1)
      await settle(place)
      const { home } = place
      const spelled = [
        `Logs are in ${home}\\logs`,
        `Dumps are in ${home.replaceAll('\\', '/')}/dumps`,
        `Caches are in ${home.toLowerCase()}\\caches`,
        `Backups are in /mnt/c${home.slice(2).replaceAll('\\', '/')}/backups`,
      ]
      for (const text of spelled) await done(place, 'facts', 'add', 'decision', text)
      await done(place, 'remember', `The keys are in ${home}\\keys`)
      await done(place, 'share', '--as', 'jane')
      const bundle = path.join(place.home, 'bundle.json')
      await done(place, 'export', '--out', bundle)
      const leaves = (text: string): string[] => text.match(/.{0,30}jane doe.{0,20}/gi) ?? []

      const shared = filesBelow(path.join(place.memory, 'shared')).map((file) => fs.readFileSync(file, 'utf8'))
      assert.ok(shared.join('').includes('dumps'))
      assert.deepEqual(leaves(shared.join('\n')), [])
      const { files } = JSON.parse(fs.readFileSync(bundle, 'utf8')) as { files: { path: string; text: string }[] }
      const ours = files.filter((file) => !file.path.startsWith('sessions/'))
      assert.ok(ours.some(({ text }) => text.includes('dumps')))
      assert.deepEqual(leaves(ours.map(({ text }) => text).join('\n')), [])
      const known = await done(place, 'import-bundle', bundle)
      assert.match(known, /All of it is here already/)
    })

    it('doctor tells what it has looked at', async () => {
      const place = makePlace()
      await playSession(place, 1, 1)
      await settle(place)
      const { out } = await cli(place, 'doctor', '--json')
      const { checks } = JSON.parse(out) as { checks: { name: string; finding: string }[] }

      const [permissions] = checks.filter(({ name }) => name === 'permissions')
      assert.equal(permissions?.finding.split(':')[0], 'not looked at')
    })
  })
