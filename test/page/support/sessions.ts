/** What somebody did in some weeks of work on a small shop for fruit: the sessions of the sample project. */

export interface Told {
  /** Days before the newest session. */
  daysAgo: number
  hour: number
  prompt: string
  /** Files that are read or edited. */
  reads?: string[]
  edits?: string[]
  /** Command, output; a leading `!` in the output: it failed. */
  runs?: [command: string, output: string][]
  answer: string
  /** More turns: prompt, answer, files that are edited. */
  more?: { prompt: string; answer: string; edits?: string[]; runs?: [command: string, output: string][] }[]
  /** What a subagent was asked and said. */
  agent?: { asked: string; said: string }
}

const PASSED = (n: number): string => `Test Files  ${Math.ceil(n / 6)} passed\n     Tests  ${n} passed`

/** Days ago and hour | prompt | file | answer. */
const SHORT = `
44 15 | Give every API error a code and a sentence that says what to do. | src/orders/errors.ts | Every error has a code now, and the sentence names the next step.
43 9 | Which Node versions do we support? Write it down. | docs/versions.md | Node 22 and 24, written down with the dates on which their support ends.
41 15 | Rename offer lines to positions everywhere. | src/offers/position.ts | Renamed in 14 files; the tests pass.
36 16 | The zone table should be data, not code. | src/shipping/zones.ts | The zones are read from a table of their own, with their fee in cents.
35 14 | Explain in a comment why the queue polls. | src/queue/take.ts | The comment says why, and what it costs.
29 15 | Search should also look into synonyms of varieties. | src/catalogue/search.ts | Synonyms are in the index; Boskoop finds Schöner aus Boskoop.
27 14 | Log how long each sync takes. | src/customers/sync.ts | Each sync writes one line with its time and the number of changes.
27 17 | Why is the test of the outbox flaky? | test/mail/outbox.test.ts | It compared times of two clocks. It uses one clock now and passed 300 times.
21 9 | Add a health check for the queue. | src/queue/health.ts | The check answers with the age of the oldest order in the queue.
15 16 | Partners want to see their limits in a header. | src/partners/api.ts | Each answer carries the limit, what is left, and when it starts anew.
14 9 | Clean up the label code before the printer arrives. | src/labels/print.ts | Two functions instead of five; the labels are the same, byte for byte.
9 15 | Check the migration guide as a stranger would. | docs/migration-2.md | Two steps were in the wrong order; both are fixed and tried on a copy.
8 16 | Invoices in Swiss francs: what would have to change? | src/invoice/layout.ts | Amounts need their currency; nine files. Nothing was changed, the list is in the answer.
7 14 | Show weeks in the report as well. | src/reports/daily.ts | Weeks are sums of the daily totals: no second table is needed.
4 9 | Make the outbox table smaller: sent mails can go after a month. | src/mail/outbox.ts | Sent rows older than 30 days are removed every night.
1 15 | The office wants the daily message at seven. | src/mail/retry.ts | It is sent at seven in the morning, local time, also when the clocks change.
0 8 | What is left to do in the mail code? | src/mail/outbox.ts | Only the delivery reports: those of two providers come late. Everything else is done.
`

const LONG: readonly Told[] = [
  {
    daysAgo: 44,
    hour: 9,
    prompt:
      'Set up the order service: orders, lines and customers in PostgreSQL, an HTTP API, tests from the first day.',
    edits: ['src/orders/schema.sql', 'src/orders/api.ts', 'test/orders/api.test.ts', 'package.json'],
    runs: [
      ['npm test', PASSED(9)],
      ['git commit -am "Orders: schema and API"', '[main 1f0c2aa] Orders: schema and API'],
    ],
    answer:
      'The order service stands. We decided to keep amounts in whole cents, because floating point drifts in sums.',
  },
  {
    daysAgo: 43,
    hour: 14,
    prompt:
      'Add the catalogue of varieties with their seasons. Never put a price into the catalogue, prices belong to offers.',
    reads: ['src/orders/schema.sql'],
    edits: ['src/catalogue/variety.ts', 'src/catalogue/season.ts', 'test/catalogue/season.test.ts'],
    runs: [
      ['npm test -- catalogue', '!✗ a season that crosses New Year\n  expected 4 months, received -8'],
      ['npm test -- catalogue', PASSED(14)],
    ],
    answer:
      'Seasons that cross New Year are counted modulo twelve. I chose a pair of months over dates, because seasons repeat every year.',
  },
  {
    daysAgo: 41,
    hour: 10,
    prompt: 'The nightly import of offers takes nine minutes. Find out why.',
    reads: ['src/offers/import.ts', 'src/offers/parse.ts'],
    runs: [
      ['node --cpu-prof src/offers/import.ts', 'profile written'],
      ['psql orchard -c "EXPLAIN ANALYZE INSERT INTO offers …"', 'Insert on offers, 0.4 ms per row'],
    ],
    edits: ['src/offers/import.ts'],
    answer:
      'Every row was its own transaction. We decided to insert in batches of 500, because one commit per batch costs 40 ms instead of 9 minutes in all.',
    agent: {
      asked: 'Look through the importers for other loops with one query per row.',
      said: 'Two more: src/offers/expire.ts and src/customers/sync.ts insert row by row.',
    },
  },
  {
    daysAgo: 40,
    hour: 16,
    prompt: 'Now the customers: sync them from the co-op list every hour. Always write the tests first.',
    edits: ['test/customers/sync.test.ts', 'src/customers/sync.ts'],
    runs: [
      ['npm test -- customers', '!7 failed, 2 passed'],
      ['npm test -- customers', PASSED(21)],
    ],
    answer:
      'The sync runs every hour and is idempotent. Still open: customers who leave the co-op are never deactivated.',
  },
  {
    daysAgo: 36,
    hour: 11,
    prompt: '배송 요금 계산을 추가해 주세요. 무게는 그램 단위로 저장하고, 제주도는 추가 요금이 있어요.',
    reads: ['src/orders/api.ts'],
    edits: ['src/shipping/fee.ts', 'src/shipping/zones.ts', 'test/shipping/fee.test.ts'],
    runs: [['npm test -- shipping', PASSED(18)]],
    answer:
      '배송 요금을 추가했습니다. 무게는 그램 정수로 저장하기로 결정했습니다. 소수점 오차가 없기 때문입니다. 아직 울릉도 요금은 정해지지 않았습니다.',
  },
  {
    daysAgo: 35,
    hour: 9,
    prompt: 'Two workers sometimes take the same order from the queue. Reproduce it before you change anything.',
    reads: ['src/queue/take.ts'],
    runs: [
      ['npm test -- queue --repeat 200', '!✗ takes each order once\n  order 118 was taken twice, run 41'],
      ['npm test -- queue --repeat 500', PASSED(500)],
    ],
    edits: ['src/queue/take.ts', 'test/queue/take.test.ts'],
    answer:
      'Reproduced in one of 41 runs: the row was read before it was locked. We decided to use SELECT FOR UPDATE SKIP LOCKED, because a second worker then takes the next order instead of waiting.',
    more: [
      {
        prompt: 'Good. Always write the tests first.',
        answer: 'Understood: the failing test comes first. The fix is committed as 77ab31e.',
        runs: [['git commit -am "Queue: each order is taken once"', '[main 77ab31e] Queue: each order is taken once']],
      },
    ],
  },
  {
    daysAgo: 33,
    hour: 15,
    prompt: 'The invoice PDF cuts long variety names. It has to show them whole.',
    edits: ['src/invoice/pdf.ts', 'src/invoice/layout.ts'],
    runs: [['npm run pdf -- sample', 'wrote out/sample.pdf, 2 pages']],
    answer: 'Names wrap now, and a line grows with them. Known issue: the total may stand alone on the last page.',
  },
  {
    daysAgo: 29,
    hour: 10,
    prompt: 'Search in the catalogue must forgive typing errors, without another service.',
    reads: ['src/catalogue/variety.ts'],
    runs: [
      ['psql orchard -c "CREATE EXTENSION pg_trgm"', 'CREATE EXTENSION'],
      ['npm run bench -- search', 'search: p50 6 ms, p95 19 ms over 12,000 varieties'],
    ],
    edits: ['src/catalogue/search.ts', 'migrations/008_trigram.sql', 'test/catalogue/search.test.ts'],
    answer:
      'Search uses a trigram index: 19 ms at p95. I chose it over a search server, because it needs no second process.',
  },
  {
    daysAgo: 28,
    hour: 13,
    prompt: 'أضف رسالة تأكيد الطلب باللغة العربية، من اليمين إلى اليسار، مع رقم الطلب.',
    edits: ['src/mail/confirm.ts', 'src/mail/templates/confirm.ar.html'],
    runs: [['npm test -- mail', PASSED(11)]],
    answer: 'أضفت الرسالة. The order number is isolated, so that it keeps its direction inside the Arabic line.',
  },
  {
    daysAgo: 27,
    hour: 9,
    prompt: 'Deactivate customers who left the co-op. Always write the tests first.',
    edits: ['test/customers/leave.test.ts', 'src/customers/leave.ts', 'src/customers/sync.ts'],
    runs: [['npm test -- customers', PASSED(27)]],
    answer: 'Fixed: customers who leave the co-op are deactivated with the next sync, and their open orders are kept.',
  },
  {
    daysAgo: 22,
    hour: 11,
    prompt: 'Move the queue from polling to LISTEN/NOTIFY, if that is simple.',
    reads: ['src/queue/take.ts', 'src/queue/worker.ts'],
    edits: ['src/queue/worker.ts', 'src/queue/listen.ts', 'test/queue/listen.test.ts'],
    runs: [
      ['npm test -- queue', '!✗ wakes after a lost connection'],
      ['npm test -- queue', PASSED(32)],
    ],
    answer:
      'It is: a worker wakes within 3 ms. We decided to poll every 30 seconds as well, because a notification is lost when the connection drops.',
    agent: {
      asked: 'Check what happens to LISTEN when pgbouncer runs in transaction mode.',
      said: 'LISTEN is lost there: the session changes with every transaction. A direct connection is needed.',
    },
  },
  {
    daysAgo: 21,
    hour: 16,
    prompt: 'CI needs 14 minutes. Make it at most five.',
    reads: ['.github/workflows/ci.yml'],
    edits: ['.github/workflows/ci.yml', 'vitest.config.ts', 'test/support/database.ts'],
    runs: [
      ['npm test', PASSED(204)],
      ['git commit -am "CI: one database per worker"', '[main c05d1be] CI: one database per worker'],
    ],
    answer:
      'Four minutes and ten seconds. One database per test worker instead of one for all: that was nine of the fourteen minutes.',
  },
  {
    daysAgo: 15,
    hour: 10,
    prompt: 'Write the API for partners: read offers, place orders, with keys that can be taken back.',
    edits: ['src/partners/key.ts', 'src/partners/api.ts', 'test/partners/api.test.ts', 'docs/partners.md'],
    runs: [
      ['npm test -- partners', PASSED(38)],
      ['curl -H "Authorization: Bearer sk_live_51HqLyjWDarjtT1zdp7dc" localhost:8080/offers', '200 OK'],
    ],
    answer:
      'Partners have keys of their own; only their hash is kept. We decided to limit each key to 60 calls a minute, because one partner polls every second.',
    more: [
      {
        prompt: 'Document the limits, and the error that tells of them.',
        answer: 'docs/partners.md tells the limits, and 429 with Retry-After is documented with an example.',
        edits: ['docs/partners.md'],
      },
    ],
  },
  {
    daysAgo: 14,
    hour: 14,
    prompt: 'Emoji in a customer name break the label printer 🍏🍐. Print something sensible instead.',
    reads: ['src/labels/print.ts'],
    edits: ['src/labels/print.ts', 'src/labels/glyphs.ts'],
    runs: [['npm test -- labels', PASSED(16)]],
    answer: 'What the printer has no glyph for is printed as □, and the log tells which customer it was. 👍',
  },
  {
    daysAgo: 9,
    hour: 9,
    prompt: 'Prepare the release 2.0: changelog, migration guide, and a dry run of all migrations on a copy.',
    reads: ['CHANGELOG.md', 'migrations/008_trigram.sql'],
    edits: ['CHANGELOG.md', 'docs/migration-2.md'],
    runs: [
      ['npm run migrate -- --dry-run', '12 migrations, 0 problems'],
      ['git tag v2.0.0', ''],
    ],
    answer:
      'Release 2.0.0 is tagged. From now on releases are made on Tuesdays only, so that somebody is there the day after.',
  },
  {
    daysAgo: 8,
    hour: 11,
    prompt: 'The season filter shows nothing in December. Look at the boundaries.',
    reads: ['src/catalogue/season.ts'],
    edits: ['src/catalogue/season.ts', 'test/catalogue/season.test.ts'],
    runs: [
      ['npm test -- season', '!✗ December belongs to a season from November to February'],
      ['npm test -- season', PASSED(23)],
    ],
    answer: 'The filter compared months without the turn of the year. Fixed, with a test for each month.',
  },
  {
    daysAgo: 7,
    hour: 10,
    prompt: 'The dashboard of orders per day is slow for large partners. Measure first.',
    reads: ['src/reports/daily.ts'],
    edits: ['src/reports/daily.ts', 'migrations/013_daily_totals.sql'],
    runs: [
      ['npm run bench -- reports', 'daily: p95 2,340 ms'],
      ['npm run bench -- reports', 'daily: p95 61 ms'],
    ],
    answer:
      'A table of daily totals, kept by a trigger: 61 ms instead of 2.3 s. We decided against a materialised view, because it would be stale until its refresh.',
  },
  {
    daysAgo: 4,
    hour: 15,
    prompt: 'Customers ask for invoices by e-mail. Send them when an order is paid, once.',
    reads: ['src/invoice/pdf.ts', 'src/mail/confirm.ts'],
    edits: ['src/invoice/send.ts', 'test/invoice/send.test.ts', 'src/mail/outbox.ts'],
    runs: [
      ['npm test -- invoice', PASSED(31)],
      ['npm test -- mail', PASSED(19)],
    ],
    answer:
      'An outbox row is written in the same transaction as the payment, so that an invoice is sent exactly once. Still open: bounced mails are not retried.',
  },
  {
    daysAgo: 1,
    hour: 9,
    prompt: 'Bounced invoice mails: retry three times, then tell the office. Write the tests first.',
    reads: ['src/mail/outbox.ts', 'src/invoice/send.ts'],
    edits: ['test/mail/retry.test.ts', 'src/mail/retry.ts', 'src/mail/outbox.ts'],
    runs: [
      ['npm test -- mail', '!4 failed, 19 passed'],
      ['npm test -- mail', PASSED(26)],
      ['git commit -am "Mail: bounced ones are sent again"', '[main 5d0e9b4] Mail: bounced ones are sent again'],
    ],
    answer:
      'Bounced mails are sent again after 1, 10 and 60 minutes, then the office gets one message a day. All 26 tests pass.',
    agent: {
      asked: 'Which mail providers report a bounce only minutes later?',
      said: 'Most of them: treat a message as delivered only after 15 minutes without a bounce.',
    },
  },
  {
    daysAgo: 0,
    hour: 10,
    prompt: 'How did we make sure that two workers never take the same order? I want to do the same for the outbox.',
    reads: ['src/queue/take.ts', 'src/mail/outbox.ts'],
    edits: ['src/mail/outbox.ts', 'test/mail/outbox.test.ts'],
    runs: [['npm test -- mail --repeat 200', PASSED(200)]],
    answer: 'The same way: SELECT FOR UPDATE SKIP LOCKED. 200 repeated runs pass, no mail is sent twice.',
  },
]

const BRIEF: readonly Told[] = SHORT.trim()
  .split('\n')
  .map((line) => {
    const [when = '', prompt = '', file = '', answer = ''] = line.split(' | ')
    const [daysAgo = 0, hour = 0] = when.split(' ').map(Number)
    const runs: [string, string][] = [[`npm test -- ${file.split('/')[1] ?? ''}`, PASSED(8 + (hour % 5))]]
    return { daysAgo, hour, prompt, reads: [file], edits: [file], runs, answer }
  })

/** Oldest first. */
export const SESSIONS: readonly Told[] = [...LONG, ...BRIEF].sort((a, b) => b.daysAgo - a.daysAgo || a.hour - b.hour)
