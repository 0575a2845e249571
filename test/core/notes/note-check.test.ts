import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sentencesWanted, tidyNote, whyNotANote } from '../../../src/core/notes/note-check.ts'
import { DELTAS, FRESH_NOTES, NOTES, TERSE_NOTES } from '../../fixtures/grounding.ts'

const TRUE_NOTES = [...NOTES, ...FRESH_NOTES, ...TERSE_NOTES]
  .filter(({ invented }) => invented === null)
  .map(({ text }) => text)

describe('whyNotANote', () => {
  it.each(TRUE_NOTES)('has nothing against %s', (text) => {
    expect(whyNotANote(tidyNote(text))).toBeNull()
  })

  it.each([
    'Here the team settled on plain files, since a native dependency was unwanted, and wrote the decision down.',
    'Error handling was moved into one place; `API Error: 529` is now retried twice before the user sees anything.',
    'The user asked "could you provide the delta?" in a test of the prompt, and the answer was recorded as a refusal.',
    'Sorry states of the queue are now reported by doctor, and the summariser was switched to extractive.',
    'Based on the profile, the JSON parser was replaced; parsing fell from 80 ms to 12 ms.',
    'Okapi, the translation tool, was added to the build. Its output goes to dist/locales.',
    '다음 주에 나머지를 보기로 했고, 오늘은 캐시만 고쳤다.',
    '네트워크 오류가 나면 세 번까지 다시 시도하도록 바꾸었다.',
    'The prompt `<invoke>` was mentioned in the docs; the parser now ignores such tags (see the tests).',
    'The user wants short answers. 1. was never released, so work starts from 2.',
    '버그를 고치고 배포했다.',
  ])('lets through %s', (text) => {
    expect(whyNotANote(tidyNote(text))).toBeNull()
  })

  it.each([
    ['nothing', ''],
    ['white space', ' \n\t '],
    ['hardly a word', 'Done.'],
    ['hardly a word in Korean', '했다.'],
    ['only marks', '..........................'],
    ['an apology', "I'm sorry, but I can't help with summarizing this conversation."],
    ['an apology with a typographic apostrophe', 'I’m sorry, but this cannot be summarized.'],
    ['an inability', 'I cannot access the file you mentioned, so there is no summary.'],
    ['a refusal in Korean', '죄송하지만 이 내용은 요약할 수 없습니다.'],
    ['a refusal in Japanese', '申し訳ありませんが、要約できません。内容がありません。'],
    ['a refusal in Chinese', '抱歉，我无法总结这段对话的内容，因为其中没有信息。'],
    ['a refusal in German', 'Es tut mir leid, aber ich kann das nicht zusammenfassen.'],
    ['a server error', 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
    ['a wrong key', 'Invalid API key · Fix external API key'],
    ['a long prompt', 'Prompt is too long'],
    ['no login', 'Not logged in · Please run /login'],
    ['no money', 'Credit balance is too low'],
    ['a limit', 'Claude AI usage limit reached|1760000400'],
    ['a preamble', 'Here is the summary:\n\nThe user fixed the login in src/auth/jwt.ts.'],
    ['a cheerful preamble', 'Sure! The user fixed the login, and all tests pass.'],
    ['a sober preamble', 'Based on the delta, the user fixed the login, and all tests pass.'],
    ['an announcement', "I'll summarize the session. The user fixed the login."],
    ['a Korean preamble', '다음은 요약입니다: 로그인 문제를 고쳤다.'],
    ['a Chinese preamble', '以下是总结：修复了登录问题，测试全部通过。'],
    ['a question', 'Could you provide the delta? There is nothing to summarize yet.'],
    ['a request', 'The delta seems incomplete. Please paste the rest of the conversation.'],
    ['a Korean request', '요약할 내용이 없습니다. 대화 내용을 제공해 주세요.'],
    ['an offer', 'The login was fixed in jwt.ts. Let me know if you need more detail.'],
    ['headings', '# Session\n\nThe login was fixed.\n\n## Tests\n\nAll pass.'],
    ['a list', '- The login was fixed.\n- All tests pass.\n- Committed to main.'],
    ['a numbered list', 'What was done:\n1. The login was fixed.\n2. All tests pass.'],
    ['a table', 'Results:\n| test | time |\n|---|---|\n| auth | 3 s |'],
    ['a code block', 'The fix was this:\n```ts\nreturn refresh(token)\n```\nand it works.'],
    ['JSON', '{"summary": "The login was fixed and all tests pass."}'],
    ['a JSON list', '["The login was fixed.", "All tests pass."]'],
    ['XML', '<summary>The login was fixed and all tests pass.</summary>'],
    ['the delta itself', '[User]: fix the login\n[Assistant]: Fixed it in jwt.ts.'],
    ['a tool line', 'The tests ran.\n[Tool: Bash] npm test\nOutput: 12 passed'],
    ['a comment', 'The login was fixed. <!-- note n-1 author=user --> All tests pass.'],
    ['a marker', 'The login was fixed. [MEMORY_KEEPER_DELTA] file=delta_temp.txt'],
    ['a tool call', 'Saving it now. <invoke name="save_note"><parameter name="text">x</parameter></invoke>'],
    ['a book', 'The login was fixed and everything works again. '.repeat(400)],
  ])('refuses %s, and says what to do', (_, text) => {
    expect(whyNotANote(tidyNote(text))).toMatch(/^(?:The|This) [^.]*[:,][^.]+\.$/)
  })
})

describe('tidyNote', () => {
  const NOTE = 'The login was fixed in `jwt.ts`. All 27 tests pass.'

  it.each([
    ['white space', `\n  ${NOTE}\n\n`],
    ['quotes', `"${NOTE}"`],
    ['typographic quotes', `“${NOTE}”`],
    ['bold', `**${NOTE}**`],
    ['a label', `Summary: ${NOTE}`],
    ['a bold label', `**Summary:** ${NOTE}`],
    ['a heading for a label', `## Summary\n\n${NOTE}`],
    ['a Korean label', `요약: ${NOTE}`],
    ['a fence around everything', `\`\`\`markdown\n${NOTE}\n\`\`\``],
    ['hard line breaks', NOTE.replace('fixed in', 'fixed\r\nin')],
    ['two paragraphs', NOTE.replace('. All', '.\n\nAll')],
    ['all of it', `\`\`\`\n**Summary:** "${NOTE.replace('. All', '.\nAll')}"\n\`\`\``],
  ])('takes off %s', (_, text) => {
    expect(tidyNote(text)).toBe(NOTE)
  })

  it('joins Japanese lines without a space and Korean ones with one', () => {
    expect(tidyNote('金額の読み込みを\n直した。')).toBe('金額の読み込みを直した。')
    expect(tidyNote('로그인 문제를\n고쳤다.')).toBe('로그인 문제를 고쳤다.')
  })

  it('leaves a list a list, so that it is refused', () => {
    expect(tidyNote('- one\n- two')).toBe('- one\n- two')
  })

  it('leaves quotes that do not belong together', () => {
    expect(tidyNote('"keep it" was said, then "drop it"')).toBe('"keep it" was said, then "drop it"')
  })

  it('changes nothing the second time, and takes no word out of plain sentences', () => {
    const word = fc.stringMatching(/^[a-z가-힣]{2,8}$/)
    const sentence = fc.array(word, { minLength: 3, maxLength: 9 }).map((words) => `${words.join(' ')}.`)
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(' ', '\n', '\n\n'),
        (all, gap) => {
          expect(tidyNote(all.join(gap))).toBe(all.join(' '))
        },
      ),
    )
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', '*', '`', '#', ':', '-', '가', 'Note') }),
        (text) => {
          const once = tidyNote(text)
          expect(tidyNote(once)).toBe(once)
        },
      ),
    )
  })
})

describe('sentencesWanted', () => {
  it('asks for two at least and twelve at most', () => {
    expect(sentencesWanted('')).toBe(2)
    expect(sentencesWanted('word '.repeat(50))).toBe(2)
    expect(sentencesWanted('word '.repeat(100_000))).toBe(12)
  })

  it('asks for one sentence per 200 words', () => {
    expect(sentencesWanted('word '.repeat(1000))).toBe(5)
    expect(sentencesWanted('단어를 '.repeat(1000))).toBe(5)
  })

  it('counts two characters as a word where there are no spaces', () => {
    expect(sentencesWanted('漢字'.repeat(1000))).toBe(5)
    expect(sentencesWanted('かな'.repeat(1000))).toBe(5)
  })

  it('asks for few about the small deltas of the fixtures', () => {
    for (const delta of Object.values(DELTAS)) expect(sentencesWanted(delta)).toBe(2)
  })

  it('never falls when a source grows', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        fc.nat(400),
        (head, tail, times) => {
          const text = head.repeat(times)
          expect(sentencesWanted(text + tail)).toBeGreaterThanOrEqual(sentencesWanted(text))
        },
      ),
    )
  })
})
