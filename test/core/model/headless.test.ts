/** What is asked of the headless child, and what its output is taken for. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childArgs, parseChildOutput, summaryRequest } from '../../../src/core/model/headless.ts'

function answer(fields: object = {}): string {
  const usage = {
    input_tokens: 5,
    cache_creation_input_tokens: 7,
    cache_read_input_tokens: 100,
    output_tokens: 9,
  }
  const whole = { type: 'result', subtype: 'success', is_error: false, result: 'A note.', total_cost_usd: 0.002, usage }
  return `${JSON.stringify({ ...whole, ...fields })}\n`
}

function failed(status: number | null, result: string, fields: object = {}): string {
  return answer({ is_error: true, api_error_status: status, result, ...fields })
}

function whyOf(stdout: string, exitCode: number | null, stderr?: string): string {
  const parsed = parseChildOutput(stdout, exitCode, stderr)
  return parsed.ok ? 'ok' : parsed.why
}

describe('a request for a summary', () => {
  it('names every field that is wanted', () => {
    const { system } = summaryRequest({ file: 'memory_20260113_120000.md', text: 'notes' })

    for (const field of ['themes', 'keyDecisions', 'issues', 'overallSummary', 'reason', 'status'])
      expect(system).toContain(`"${field}"`)
  })
})

describe('the arguments', () => {
  it('shut out tools, settings, servers, transcripts and commands', () => {
    const request = { system: 'S', prompt: 'P', stdin: 'D' }
    const before =
      '-p --model haiku --effort low --tools  --setting-sources  --strict-mcp-config --no-session-persistence --disable-slash-commands --system-prompt S --output-format json'

    expect(childArgs(request, null)).toEqual([...before.split(' '), 'P'])
    expect(childArgs(request, 'get "key"')).toEqual([
      ...before.split(' '),
      '--settings',
      '{"apiKeyHelper":"get \\"key\\""}',
      'P',
    ])
  })
})

describe('an answer', () => {
  it('is taken with its cost, and with the tokens of the cache', () => {
    const stdout = answer({
      modelUsage: { 'claude-haiku-5-5': { outputTokens: 9, costUSD: 0.002 } },
      result: ' A note.\n',
    })

    expect(parseChildOutput(stdout, 0)).toEqual({
      ok: true,
      text: 'A note.',
      structured: null,
      model: 'claude-haiku-5-5',
      tokens: { input: 112, output: 9 },
      costUsd: 0.002,
    })
  })

  it('counts every call the child made', () => {
    const used = { inputTokens: 300, cacheReadInputTokens: 20, cacheCreationInputTokens: 1, outputTokens: 40 }
    const stdout = answer({ modelUsage: { small: { ...used, outputTokens: 2 }, large: used } })

    expect(parseChildOutput(stdout, 0)).toMatchObject({ model: 'large', tokens: { input: 642, output: 42 } })
  })

  it('is found behind other lines, and in a list of messages', () => {
    expect(whyOf(`a warning\n{"type":"system"}\n${answer()}`, 0)).toBe('ok')
    expect(whyOf(JSON.stringify([{ type: 'system' }, JSON.parse(answer())]), 0)).toBe('ok')
  })

  it('that says nothing about tokens or cost is one all the same', () => {
    const stdout = answer({ usage: undefined, total_cost_usd: 'free' })

    expect(parseChildOutput(stdout, 0)).toMatchObject({ ok: true, tokens: { input: 0, output: 0 }, costUsd: null })
  })

  it('is accepted only with exit code 0, is_error false and words', () => {
    expect(whyOf(answer(), 1)).toBe('failed')
    expect(whyOf(answer(), null)).toBe('killed')
    expect(whyOf(answer({ is_error: true }), 0)).toBe('failed')
    expect(whyOf(answer({ is_error: undefined }), 0)).toBe('failed')
    expect(whyOf(answer({ is_error: 'false' }), 0)).toBe('failed')
    expect(whyOf(answer({ result: ' \n' }), 0)).toBe('failed')
    expect(whyOf(answer({ result: { text: 'A note.' } }), 0)).toBe('failed')
    expect(whyOf(answer({ stop_reason: 'refusal' }), 0)).toBe('refused')
  })
})

describe('a failure', () => {
  it.each([
    [400, 'Prompt is too long · the request is ~210000 tokens', 'too-long'],
    [413, 'Request too large', 'too-long'],
    [401, 'Invalid API key · Fix external API key', 'login'],
    [403, 'Failed to authenticate.', 'login'],
    [null, 'Not logged in · Please run /login', 'login'],
    [429, 'API Error: Request rejected (429)', 'overloaded'],
    [529, 'API Error: 529 Overloaded.', 'overloaded'],
    [500, 'API Error: 500 boom.', 'overloaded'],
    [null, 'API Error: Connection error.', 'overloaded'],
    [400, 'Credit balance is too low', 'failed'],
    [null, 'API Error: this appears to violate our Usage Policy', 'refused'],
  ])('is told by its kind: %s %s', (status, text, why) => {
    expect(parseChildOutput(failed(status, text), 1)).toMatchObject({ ok: false, why })
  })

  it('without a result is told by the exit code and by what the host complains about', () => {
    expect(whyOf('', 143)).toBe('killed')
    expect(whyOf('', null)).toBe('killed')
    expect(whyOf('', 0)).toBe('unreadable')
    expect(whyOf('<html>', 0)).toBe('unreadable')
    expect(whyOf('{"type":"result"', 0)).toBe('unreadable')
    expect(whyOf('null', 0)).toBe('unreadable')
    expect(whyOf('', 1)).toBe('failed')
    expect(whyOf('', 1, 'Error: piped stdin input exceeds 10MB')).toBe('too-long')
    expect(whyOf('Not logged in', 1)).toBe('login')
    expect(parseChildOutput('', 1, "error: unknown option '--effort'\n")).toMatchObject({
      message: "ended with exit code 1, without a result: error: unknown option '--effort'",
    })
  })

  it('that was paid says so', () => {
    const stdout = answer({ is_error: true, subtype: 'error_max_budget_usd', result: undefined })

    expect(parseChildOutput(stdout, 1)).toEqual({
      ...{ ok: false, why: 'failed', message: 'the host reports error_max_budget_usd' },
      ...{ tokens: { input: 112, output: 9 }, costUsd: 0.002 },
    })
  })

  it('does not repeat words that may be those of a session, nor secrets', () => {
    const said = 'The user moved the payroll to port 4711.'
    const key = `sk-ant-api03-${'a1B2'.repeat(20)}`
    const messages = [
      parseChildOutput(failed(null, said), 1),
      parseChildOutput(answer({ result: said }), 1),
      parseChildOutput(said, 0),
      parseChildOutput(said, 1, said),
      parseChildOutput(failed(401, `Invalid API key: ${key}`), 1),
      parseChildOutput(failed(null, `apiKeyHelper failed: ${said}`), 1),
      parseChildOutput('', 1, `Error: apiKeyHelper said ${said}`),
    ].map((result) => (result.ok ? 'ok' : result.message))

    expect(messages.join('\n')).not.toMatch(/payroll|a1B2|^ok$/)
  })

  it('has a message of one short line, whatever was printed, and never throws', () => {
    const printed = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.tuple(fc.option(fc.integer()), fc.string({ maxLength: 600 })).map(([status, text]) => failed(status, text)),
      fc.object().map((usage) => answer({ usage, modelUsage: usage, result: '' })),
    )
    fc.assert(
      fc.property(printed, fc.option(fc.integer({ min: 0, max: 255 })), fc.string(), (stdout, exitCode, stderr) => {
        const result = parseChildOutput(stdout, exitCode, stderr)
        if (result.ok) return
        expect(result.message.length).toBeLessThanOrEqual(200)
        expect(result.message).not.toMatch(/[\n\r\0]/)
        expect(result.tokens.input).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
