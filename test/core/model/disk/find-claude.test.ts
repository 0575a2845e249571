/** Finding Claude Code on PATH, on every system, without a shell. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ClaudeLooks, findClaude } from '../../../../src/core/model/disk/headless.ts'
import { tempDir } from '../../../support/project.ts'

function makeProgram(file: string, mode = 0o755): string {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, '#!/bin/sh\n')
  fs.chmodSync(file, mode)
  return file
}

/** A disk that holds these files; paths of Windows need no Windows. */
function diskOf(files: Record<string, string>, links: Record<string, string> = {}): ClaudeLooks {
  return {
    isProgram: (file) => file in files || file in links,
    readText: (file) => files[file] ?? null,
    readSystem: (file) => files[file] ?? null,
    isFile: (file) => file in files,
    realPath: (file) => links[file] ?? file,
  }
}

describe.skipIf(process.platform === 'win32')('on PATH', () => {
  const dir = tempDir()
  const [first, second] = [path.join(dir, 'first'), path.join(dir, 'second')]
  const find = (...dirs: string[]) => findClaude({ env: { PATH: dirs.join(':') }, platform: 'darwin', roots: [] }, null)
  const program = makeProgram(path.join(second, 'claude'))

  it('the first program of that name is found', () => {
    expect(find('/nowhere', second, first)).toEqual({ command: program, args: [] })
  })

  it('a link to a program is one', () => {
    fs.mkdirSync(path.join(dir, 'links'))
    fs.symlinkSync(program, path.join(dir, 'links', 'claude'))

    expect(find(path.join(dir, 'links'))?.command).toBe(path.join(dir, 'links', 'claude'))
  })

  it('a directory, a file that cannot be started and a dangling link are passed over', () => {
    fs.mkdirSync(path.join(dir, 'a', 'claude'), { recursive: true })
    makeProgram(path.join(dir, 'b', 'claude'), 0o644)
    fs.mkdirSync(path.join(dir, 'c'))
    fs.symlinkSync('/nowhere/claude', path.join(dir, 'c', 'claude'))

    expect(find(path.join(dir, 'a'), path.join(dir, 'b'), path.join(dir, 'c'), second)?.command).toBe(program)
  })

  it('nothing is looked for in the current directory', () => {
    const before = process.cwd()
    process.chdir(second)
    try {
      expect(find('', '.', './', `../${path.basename(second)}`)).toBeNull()
    } finally {
      process.chdir(before)
    }
  })

  it('nothing is found where there is no PATH', () => {
    expect(findClaude({ env: {}, platform: 'linux', roots: [] }, null)).toBeNull()
    expect(findClaude({ env: { PATH: '' }, platform: 'linux', roots: [] }, null)).toBeNull()
  })
})

describe('on Windows', () => {
  const npm = 'C:\\Users\\한 글\\npm'
  const cli = `${npm}\\node_modules\\@anthropic-ai\\claude-code\\cli.js`
  const native = `${npm}\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe`
  const shimTo = (target: string) =>
    `@ECHO off\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n)\r\n"%_prog%"  "%dp0%\\${target}" %*\r\n`
  const find = (files: Record<string, string>, env: Record<string, string> = { Path: `C:\\Windows;"${npm}"` }) =>
    findClaude({ env, platform: 'win32', roots: ['C:\\src\\app'] }, null, diskOf(files))

  it('a native program comes before a batch file beside it', () => {
    const files = { [`${npm}\\claude.exe`]: '', [`${npm}\\claude.cmd`]: shimTo('x.js'), [`${npm}\\x.js`]: '' }

    expect(find(files)).toEqual({ command: `${npm}\\claude.exe`, args: [] })
  })

  it("npm's batch file is resolved to the script it starts, with our node and no other", () => {
    const shim = shimTo('node_modules\\@anthropic-ai\\claude-code\\cli.js')
    const files = { [`${npm}\\claude.cmd`]: shim, [cli]: '' }

    expect(find(files)).toEqual({ command: process.execPath, args: [cli] })
    expect(find({ ...files, [`${npm}\\node.exe`]: '' })).toEqual({ command: process.execPath, args: [cli] })
  })

  it("npm's batch file is resolved to the native program it starts", () => {
    const shim = '"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe"   %*\r\n'

    expect(find({ [`${npm}\\claude.cmd`]: shim, [native]: '' })).toEqual({ command: native, args: [] })
  })

  it("pnpm's batch file may lead upwards", () => {
    const shim =
      '@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\..\\global\\claude-code\\cli.js" %*\r\n) ELSE (\r\n  node  "%~dp0\\..\\global\\claude-code\\cli.js" %*\r\n)'
    const target = 'C:\\Users\\한 글\\global\\claude-code\\cli.js'

    expect(find({ [`${npm}\\claude.cmd`]: shim, [target]: '' })?.args).toEqual([target])
  })

  it('a PowerShell script alone is resolved too', () => {
    const shim = '& "$basedir/node$exe"  "$basedir/node_modules/@anthropic-ai/claude-code/cli.js" $args\n'

    expect(find({ [`${npm}\\claude.ps1`]: shim, [cli]: '' })?.args).toEqual([cli])
  })

  it('a batch file that starts something unknown, or something that is gone, is never started itself', () => {
    expect(find({ [`${npm}\\claude.cmd`]: '@volta run claude %*' })).toBeNull()
    expect(find({ [`${npm}\\claude.cmd`]: shimTo('gone.js') })).toBeNull()
    expect(find({ [`${npm}\\claude.cmd`]: shimTo('%EVIL%\\cli.js') })).toBeNull()
  })

  it.each(['C:\\src\\app\\bin', 'c:\\SRC\\APP', 'C:/src/app/node_modules/.bin', 'C:\\src\\app\\..\\app'])(
    'nothing is taken from the project: %s',
    (dir) => {
      const exe = `${dir.replaceAll('/', '\\').replace('\\..\\app', '')}\\claude.exe`

      expect(find({ [exe]: '' }, { PATH: dir })).toBeNull()
      expect(find({ [exe]: '', [`${npm}\\claude.exe`]: '' }, { PATH: `${dir};${npm}` })?.command).toBe(
        `${npm}\\claude.exe`,
      )
    },
  )

  it('nothing is taken from the project by way of a batch file elsewhere', () => {
    const target = 'C:\\src\\app\\cli.js'

    expect(find({ [`${npm}\\claude.cmd`]: shimTo('..\\..\\..\\src\\app\\cli.js'), [target]: '' })).toBeNull()
  })

  it('relative directories and those of the current drive are passed over', () => {
    const files = { 'claude.exe': '', '.\\claude.exe': '', '\\tools\\claude.exe': '', 'bin\\claude.exe': '' }

    expect(find(files, { PATH: ';.;bin;\\tools' })).toBeNull()
    expect(find({ '\\\\server\\share\\claude.exe': '' }, { PATH: '\\\\server\\share' })?.command).toBe(
      '\\\\server\\share\\claude.exe',
    )
  })
})

describe('the program of the host that started us', () => {
  const home = '/home/a/.local/share/claude/versions/2.1.325'
  const find = (links: Record<string, string>, files: Record<string, string> = {}, platform = 'linux') =>
    findClaude({ env: { PATH: '/usr/bin' }, platform, roots: ['/src/app'] }, 42, diskOf(files, links))

  it('comes before the one on PATH', () => {
    expect(find({ '/proc/42/exe': home })).toEqual({ command: home, args: [] })
    expect(find({ '/proc/42/exe': home }, { '/usr/bin/claude': '' })?.command).toBe(home)
    expect(find({ '/proc/42/exe': home }, { '/usr/bin/claude': '' }, 'darwin')?.command).toBe('/usr/bin/claude')
  })

  it('is not taken from inside the project', () => {
    const inside = '/src/app/node_modules/@anthropic-ai/claude-code/claude'
    const links = { '/proc/42/exe': '/usr/bin/node' }
    const script = { '/proc/42/cmdline': `node\0${inside}.js\0`, [`${inside}.js`]: '' }

    expect(find({ '/proc/42/exe': inside })).toBeNull()
    expect(find({ '/proc/42/exe': inside }, { '/usr/bin/claude': '' })?.command).toBe('/usr/bin/claude')
    expect(find(links, script)).toBeNull()
  })

  it('is not taken when its number has passed to another program, or it is deleted', () => {
    expect(find({ '/proc/42/exe': '/usr/bin/rm' })).toBeNull()
    expect(find({})).toBeNull()
    expect(find({}, { '/proc/42/exe': '' })).toBeNull()
  })

  it('may be a script that node runs', () => {
    const cli = '/opt/claude-code/cli.js'
    const links = { '/proc/42/exe': '/usr/bin/node' }

    expect(find(links, { '/proc/42/cmdline': `node\0${cli}\0-p\0`, [cli]: '' })).toEqual({
      command: '/usr/bin/node',
      args: [cli],
    })
    expect(find(links, { '/proc/42/cmdline': 'node\0/srv/server.js\0', '/srv/server.js': '' })).toBeNull()
    expect(find(links, { '/proc/42/cmdline': 'node\0claude.js\0', 'claude.js': '' })).toBeNull()
  })

  it.skipIf(process.platform !== 'linux')('is read from the running system', () => {
    const program = path.join(tempDir(), 'claude')
    fs.copyFileSync(fs.realpathSync('/bin/sleep'), program)
    fs.chmodSync(program, 0o755)
    // A `sleep` that is one of many in a single program looks at its own name.
    const child = spawn(program, ['30'], { argv0: 'sleep' })
    try {
      expect(findClaude({ env: { PATH: '' }, platform: 'linux', roots: [] }, child.pid ?? 0)).toEqual({
        command: program,
        args: [],
      })
      expect(findClaude({ env: { PATH: '' }, platform: 'linux', roots: [] }, 2 ** 22 + 1)).toBeNull()
    } finally {
      child.kill('SIGKILL')
    }
  })
})
