import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/kernel/redact/redact.ts'
import { SECRET_FORMS, SECRET_FREE, SPLIT_FORMS } from '../../fixtures/secret-forms.ts'
import { makeSecrets } from '../../fixtures/secrets.ts'

const { redact } = createRedactor({ enabled: true, extraPatterns: [] })

describe('planted secrets', () => {
  const secrets = makeSecrets(7)

  it('has at least 40 kinds in at least 5 contexts each', () => {
    expect(secrets.length).toBeGreaterThanOrEqual(40)
    for (const { kind, secret, contexts } of secrets) {
      expect(contexts.length, kind).toBeGreaterThanOrEqual(5)
      for (const context of contexts) expect(context, kind).toContain(secret)
    }
  })

  it.each(secrets.map((planted) => [planted.kind, planted] as const))('catches %s everywhere', (_kind, planted) => {
    for (const context of planted.contexts) {
      const { text, count } = redact(context)
      expect(text, context).not.toContain(planted.secret)
      expect(count, context).toBeGreaterThan(0)
      expect(redact(text), context).toEqual({ text, count: 0 })
    }
  })

  it('leaves the text around a secret as it was', () => {
    for (const { kind, secret, contexts } of secrets) {
      // A key block goes whole; everything else goes alone.
      if (kind === 'pem') continue
      for (const context of contexts) {
        const pieces = redact(context).text.split(/\[redacted:[\w-]+\]/)
        expect(pieces, context).toEqual(context.split(secret))
      }
    }
  })

  it('catches secrets whatever the seed, and in texts joined at random', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), (seed, picks) => {
        const planted = makeSecrets(seed)
        const chosen = picks.map((pick) => {
          const one = planted[pick % planted.length] ?? { secret: '', contexts: [] }
          return { secret: one.secret, text: one.contexts[pick % one.contexts.length] ?? '' }
        })
        const { text } = redact(chosen.map((one) => one.text).join('\n\n'))
        for (const { secret } of chosen) expect(text).not.toContain(secret)
        expect(redact(text).text).toBe(text)
      }),
      { numRuns: 60 },
    )
  })

  it('catches a token that was cut after ten characters of its body', () => {
    for (const start of [
      'gh' + 'p_',
      'github_' + 'pat_',
      'gl' + 'pat-',
      'xo' + 'xb-',
      'sk-' + 'ant-',
      'sk_' + 'live_',
    ]) {
      expect(redact(`output ${start}a1B2c3D4e5`).text).toMatch(/^output \[redacted:[\w-]+\]$/)
    }
  })

  it('keeps what is readable: names, users, hosts', () => {
    expect(redact('DB_PASSWORD=hun' + 'ter2xyz').text).toBe('DB_PASSWORD=[redacted:password]')
    expect(redact('postgres://me:' + 'hunter2xyz@db:5432/x').text).toBe(
      'postgres://me:[redacted:url-password]@db:5432/x',
    )
    expect(redact('비밀번호는 hun' + 'ter2야').text).toBe('비밀번호는 [redacted:password]야')
  })
})

describe('harmless text', () => {
  it.each(SECRET_FREE)('leaves alone: %j', (line) => {
    expect(redact(line)).toEqual({ text: line, count: 0 })
  })

  it('leaves any mix of them alone', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...SECRET_FREE.filter((text) => !text.includes('\n'))), { maxLength: 20 }),
        (lines) => {
          const text = lines.join('\n')
          expect(redact(text)).toEqual({ text, count: 0 })
        },
      ),
    )
  })
})

describe('private blocks', () => {
  const { redact: whenOff } = createRedactor({ enabled: false, extraPatterns: ['abc'] })

  it('go even when redaction is off, and nothing else does', () => {
    expect(whenOff('a <private>b</private> c')).toEqual({ text: 'a [private] c', count: 1 })
    expect(whenOff('PASSWORD=hun' + 'ter2xyz abc')).toMatchObject({ count: 0 })
  })

  it.each([
    ['a<PRIVATE>\nb\r\nc</Private >d', 'a[private]d', 1],
    ['<private>a</private>b<private>c</private>', '[private]b[private]', 2],
    ['a <private>b', 'a [private]', 1],
    ['a <private reason="x" lang=ko>b</private> c', 'a [private] c', 1],
    ['a <private>b<private>c</private>d</private> e', 'a [private] e', 1],
    [
      'a </private> b <private/> <private-note>c</private-note>',
      'a </private> b <private/> <private-note>c</private-note>',
      0,
    ],
    ['"\\u003cprivate\\u003eb\\u003c/private\\u003e"', '"[private]"', 1],
  ])('%j becomes %j', (before, after, count) => {
    expect(whenOff(before)).toEqual({ text: after, count })
    expect(redact(before)).toEqual({ text: after, count })
    expect(redact(after).text).toBe(after)
  })
})

describe("the user's patterns", () => {
  it('redact what they match', () => {
    const { redact: custom, badPatterns } = createRedactor({
      enabled: true,
      extraPatterns: ['ACME-\\d+', '(cus)tomer\\w+'],
    })
    expect(custom('see ACME-123 of customerJoe')).toEqual({
      text: 'see [redacted:custom] of [redacted:custom]',
      count: 2,
    })
    expect(badPatterns).toEqual([])
  })

  it('are reported and ignored when they do not compile or match the empty string', () => {
    const bad = ['(', '[a', 'a*', '', '\\b', '(?=a)', '^', 'x?']
    const made = createRedactor({ enabled: true, extraPatterns: [...bad, 'ok1'] })
    expect(made.badPatterns).toEqual(bad)
    expect(made.redact('an ok1 text').text).toBe('an [redacted:custom] text')
  })

  it('do not touch a marker', () => {
    const { redact: greedy } = createRedactor({ enabled: true, extraPatterns: ['redacted', 'INTERNAL.+', '^.{3}'] })
    for (const text of ['INTERNAL host', 'abcdef', 'x INTERNAL PASSWORD=hun' + 'ter2xyz more']) {
      const once = greedy(text).text
      expect(greedy(once).text).toBe(once)
      expect(once).not.toContain('host')
    }
  })
})

describe('any text', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom(
      ...[
        ...['password', ' = ', ': ', '"', "'", '\\"', '\\n', '\n', '\r\n', '\0', '\ud800', '://', '@', ':'],
        '-----BEGIN ',
      ],
      ...['PRIVATE KEY', '-----', '<private>', '</private>', 'eyJ', '.eyJ', 'gh' + 'p_', 'curl -u ', 'Cookie: sid='],
      ...['Authorization: Bearer ', '비밀번호는 ', '[redacted:jwt]'],
    ),
    fc.string({ unit: fc.constantFrom(...'abcXYZ0189+/=_-'), maxLength: 40 }),
  )

  it('never throws, and a second pass changes nothing', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { text } = redact(pieces.join(''))
        expect(redact(text)).toEqual({ text, count: 0 })
      }),
      { numRuns: 1000 },
    )
  })

  it('survives NUL, lone surrogates and CRLF around a secret', () => {
    for (const odd of ['\0', '\ud800', '\udc00', '\r\n']) {
      expect(redact(`${odd}TOKEN=a8Kd93mZq0Lp${odd}`).text).not.toContain('a8Kd93mZq0Lp')
    }
  })
})

describe('a URL that was cut before its host', () => {
  it.each(['postgres://admin:S3cr3tPw99', 'postgres://admin:S3cr3tPw99@', 'redis://:S3cr3tPw99'])('%s', (url) => {
    const { text, count } = redact(`connect to ${url}`)

    expect(text).toMatch(/^connect to \w+:\/\/\w*:\[redacted:url-password\]$/)
    expect(redact(text)).toEqual({ text, count: 0 })
    expect(count).toBe(1)
  })

  it.each(['http://localhost:3000', 'see https://example.org:8443.', 'postgres://admin:$PGPASSWORD'])(
    'not %s',
    (text) => {
      expect(redact(text)).toEqual({ text, count: 0 })
    },
  )
})

describe('secrets by class', () => {
  it.each(SECRET_FORMS.map((form) => [form.class, form] as const))('%s: %j', (_class, { text, secret }) => {
    expect(text).toContain(secret)
    const once = redact(text)
    expect(once.text, text).not.toContain(secret)
    expect(redact(once.text), text).toEqual({ text: once.text, count: 0 })
  })

  it.each(SPLIT_FORMS.map((form) => [form.text, form] as const))('parted: %j', (text, { secret }) => {
    expect(redact(text).text).not.toContain(secret.slice(-6))
  })
})

describe('the output of a command', () => {
  const printed = (command: string, output: string, failed = false): string => redact(output, { command, failed }).text

  it.each([
    ['pass show mail/work', 'summer'],
    ["kubectl get secret db -o jsonpath='{.data.password}' | base64 -d", 'summer'],
    ['gh auth token', 'summer'],
    ['vault kv get -field=password secret/db', 'summer'],
    ['echo $DB_PASSWORD', 'summer'],
    ['echo "it is $DB_PASSWORD"', 'it is summer'],
    ['docker exec db printenv POSTGRES_PASSWORD', 'summer'],
    ['aws secretsmanager get-secret-value --secret-id db', '{"SecretString":"summer"}'],
    ['aws configure get aws_secret_access_key', 'summer'],
    ['cat /run/secrets/db_password', 'summer'],
    ['cat password.txt', 'summertime'],
  ])('is dropped whatever it looks like if the words of %j announce a secret', (command, output) => {
    expect(printed(command, output)).toBe('[redacted:output]')
  })

  it.each([
    ['npx vitest run test/text/token.test.ts', 'Tests 3 passed\nDone'],
    ['curl -H "Authorization: Bearer $TOKEN" https://api.test', '{"a":1}'],
    ['grep -rn password src', 'src/a.ts:1: const password = readPassword()'],
    ['git commit -m "Add password reset"', '[main abc1234] Add password reset'],
    ['npm run db:seed', 'done'],
    ['pwd', '/home/me/harbour'],
    ['cd src && pwd', '/home/me/harbour/src'],
    ['echo $PWD', '/home/me/harbour'],
    ['STAGING_TOKEN=[redacted:github] ./deploy.sh staging', 'version 1.4.2 is live'],
    ['PGPASSWORD=[redacted:password] psql -c x', '1 row'],
  ])('stays if %j only mentions one', (command, output) => {
    expect(printed(command, output)).toBe(output)
  })

  it('of a failed command stays, redacted as one text with the command', () => {
    expect(printed('gh auth token', 'Exit code 1\nnot logged in', true)).toBe('Exit code 1\nnot logged in')
    expect(printed('sh ask-password', `hun${'ter2xyz'}`, true)).toBe('[redacted:password]')
  })

  it('stays where redaction is off', () => {
    const { redact: off } = createRedactor({ enabled: false, extraPatterns: [] })
    expect(off('summer', { command: 'gh auth token', failed: false }).text).toBe('summer')
  })
})

describe('a line that ends with an announcing word', () => {
  it.each([
    [`Your password:\nhun${'ter2x'}`, 'Your password:\n[redacted:password]'],
    [`The password is\nhun${'ter2x'}`, 'The password is\n[redacted:password]'],
    [`password:\n\n  Xk29!${'ffa'}`, 'password:\n\n  [redacted:password]'],
    [`API token:\n\`\`\`\nabc123DEF${'456ghi789'}\n\`\`\``, 'API token:\n```\n[redacted:secret]\n```'],
  ])('announces the value below it: %j', (before, after) => {
    expect(redact(before).text).toBe(after)
  })

  it.each([
    'We reset the password\nusername\nemail',
    'token\n- foo',
    'All tests pass\n4be1c07',
    'the secret\ncommit 4be1c07aa',
  ])('announces no word, sentence or hash below it: %j', (text) => {
    expect(redact(text).text).toBe(text)
  })
})

describe('a private tag with blanks', () => {
  it('is a private tag', () => {
    expect(redact('a < private >b< / private > c').text).toBe('a [private] c')
  })
})

/** `⟦…⟧` marks what must go; all other text stays as it was, and a second pass changes nothing. */
function expectHidden(marked: string, redacted: (text: string) => string): void {
  const kept = marked.split(/⟦[^⟧]+⟧/)
  const after = redacted(marked.replace(/[⟦⟧]/g, ''))
  expect(after.split(/\[redacted:[\w-]+\]/), after).toEqual(kept)
  expect(redact(after).text).toBe(after)
}

describe('an announcement with its value on a line further down', () => {
  it.each([
    ['over blank lines and quote marks', '> the password for the lab router:\n>\n>   ⟦Tuna-7-Bagel⟧\n>\n> thanks'],
    ['with words between', 'Voilà le mot de passe du serveur « nuage » :\n\n⟦Citron#Vert8⟧\n\nmerci'],
    ['in a script without blanks', '数据库密码如下：\n\n⟦Baozi@2031xm⟧\n\n请测试'],
    ['without a colon', 'ユーザー\n  taro7\nパスワード\n  ⟦Mikan-9ko⟧\n備考'],
    ['with a parenthesis', 'Root-Passwort (nur Konsole):\n⟦Gurke-31-Salat⟧'],
    ['as a heading with a fence below', '## Admin password (console)\n\n```\n⟦Fjord-28-kelp⟧\n```\n\n## Hosts'],
    ['with an arrow', ' * senha do painel →\n   ⟦pastel-de-Nata7⟧'],
    ['in an opening tag', '<user>ci</user>\n<password>\n  ⟦Q7rbN2vK9xLw⟧\n</password>'],
    ['answered in a chat', "Ana  9:12\nwhat's the password of the box?\nBen  9:13\n⟦m0Ose-trail⟧\nBen  9:14\nok"],
    ['with a name and a value below', 'credentials:\n  admin: ⟦Kelp-41-Tower⟧\n  host: db.lan'],
    ['as a paragraph', 'Contraseña nueva del panel\n\n    ⟦Tortuga_Roja_45⟧\n\npruébala'],
    ['as a paragraph, a key', '新しいAPIキーを発行しました\n\n⟦ak8Zk8vQ2mL7xPw4Rt9Bn3⟧\n'],
    ['below a comment', '// password for the sandbox account\n// ⟦Slate-Wren-15⟧\nconst user'],
    ['for a key', 'Here is your API key:\n\n⟦k9Xq2mPz7Lw4Rt8v⟧\n\nkeep it'],
  ])('%s', (_what, marked) => expectHidden(marked, (text) => redact(text).text))

  it.each([
    'The password reset component:\nUserMenu.vue',
    'Reset the password:\nnpm run reset\n',
    'The secret is mounted here:\n/run/secrets/app-2\n',
    'tokens:\n  - access-token\n  - id-token-2',
    'password:\n  type: string\n  minLength: 8',
    'It reads the token from\nprocess.env.TOKEN_2\n',
    'which secret?\nweb-frontend-2\n',
  ])('takes no other line for one: %j', (text) => expect(redact(text).text).toBe(text))
})

describe('several values below one announcement', () => {
  it.each([
    ['codes', 'Backup codes for the mail account:\n1. ⟦48201937⟧\n2. ⟦59310482⟧\n3. ⟦60417253⟧\nPrint them.'],
    [
      'codes in columns',
      'Your recovery codes. Each works once.\n\n 1. ⟦4417 9034    3. 7729 1140⟧\n 2. ⟦5521 8840    4. 6130 2251⟧',
    ],
    ['names and values', 'The initial passwords are:\n\n* ann: ⟦Kettle-Drum-12⟧\n* ben: ⟦Copper-Pan-34⟧'],
    ['pairs', 'credentials\n-----------\nadmin / ⟦Otter!Lake9⟧\nviewer / ⟦Heron!Lake8⟧'],
    ['codes of letters', 'Recovery codes (saved today):\n⟦k4mpl-7hqbi⟧\n⟦w9qzf-2td5d⟧\n'],
    ['values in brackets', '"tokens": ["robot", "⟦Zk8vQ2mL7xPw4Rt9⟧"],\n"x": ["robot"]'],
    [
      'numbered words',
      'recovery phrase:\n\n  ⟦1. lamp     2. orbit    3. velvet    4. canyon\n  5. mirror   6. socket   7. tunnel    8. garlic\n  9. wisdom  10. falcon  11. ribbon   12. harvest⟧\n\nDone 1',
    ],
  ])('%s', (_what, marked) => expectHidden(marked, (text) => redact(text).text))

  it.each([
    'error codes:\n4001\n4002\n4003',
    'Exit codes. See below.\n\n 1. 40010000\n 2. 40020000',
    'tokens = ["IDENT", "NUMBER", "STRING_2"]',
  ])('counts only below such an announcement: %j', (text) => expect(redact(text).text).toBe(text))
})

describe('a table', () => {
  it.each([
    [
      'Markdown',
      '| Env  | Password       | Note |\n|------|----------------|------|\n| prod | ⟦amber-Lake-07⟧  | old  |\n| demo | ⟦Zr7Kp2Lm9⟧      |      |',
    ],
    [
      'psql',
      ' id | reset_token          | at\n----+----------------------+----\n  7 | ⟦Zk8vQ2mL7xPw4Rt9Bn3c⟧ | 12\n(1 row)',
    ],
    [
      'columns by blanks',
      'User     Passwort        Host\n----     --------        ----\nsvc      ⟦Herbst#Wind31⟧   db1\nweb      ⟦lila-Kran-22⟧    db2\n',
    ],
    ['name and value', 'site|Kiosk\nsmtp_pw|⟦blauwal77⟧\ntheme|dark'],
    ['a name and blanks', 'Key        Value\n---        -----\nhost       db\ntoken      ⟦Zk8vQ2mL7xPw4Rt9⟧'],
    ['CSV', 'user,mot de passe\nlea,⟦cerise_Rouge_12⟧\n'],
    ['Korean', '| 계정 | 비밀번호 |\n|---|---|\n| app | ⟦haneul-Byeol-3⟧ |'],
    [
      'SQL',
      "INSERT INTO users (name, password, age) VALUES ('lea', '⟦Kiwi-31-Tart⟧', 7), ('tom', '⟦PlumCake_9x⟧', 8);",
    ],
  ])('with a column that announces a secret: %s', (_what, marked) => expectHidden(marked, (text) => redact(text).text))

  it.each([
    '| Token | Meaning |\n|-------|---------|\n| IDENT | a name-2 |\n| NUM_2 | digits |',
    'NAME        TOKEN    AGE\nweb-7f9c    <none>   3d\n',
    '| model | prompt tokens |\n|---|---|\n| small-2 | 12874 |',
    "INSERT INTO pages (title, body) VALUES ('password-2', 'Text-21-x');",
    'Object.values(password, "Text-21-x")',
  ])('without one stays: %j', (text) => expect(redact(text).text).toBe(text))
})

describe('words joined by signs', () => {
  it.each([
    ['behind a name', 'password: ⟦holz-Ente-93⟧'],
    ['behind a mark', '? Database password: › ⟦holz-Ente-93⟧'],
    ['in a language of blanks', "La password dell'utente admin è: ⟦Zafferano_71x⟧. Il pannello"],
    ['in a language of particles', 'パスワードは⟦sakura-Mochi-3⟧です'],
    ['far behind the word', 'la contraseña del usuario root en el servidor viejo de pruebas es ⟦Girasol88$mar⟧, entra'],
    ['behind "to"', 'Het wachtwoord is gewijzigd naar ⟦Fiets-339-bel⟧, pas aan'],
    ['behind an adverb', 'Das Passwort wurde geändert, es lautet jetzt ⟦Dachs-Bau-77⟧ und gilt'],
    ['right before the word', 'use ⟦Kettle-Drum-12⟧ as the password when it asks'],
    ['right behind the word', 'connect as ann with password ⟦Kettle-Drum-12⟧ please'],
    ['in two groups', 'Your one-time code is ⟦482 913⟧ today'],
    ['far before the word', '"⟦Thistle.Quarry.7⟧" is what the vendor gave us as the admin password for it'],
    ['in a call', 'new NetworkCredential("svc", "⟦Larch.Tundra.12⟧")'],
    ['in a call of a field', "page.getByLabel('Password').fill('⟦Larch-Tundra-12⟧')"],
    ['behind a router', 'username oper password 0 ⟦Moorhen_lan3⟧'],
  ])('are a value where the announcement is certain: %s', (_what, marked) =>
    expectHidden(marked, (text) => redact(text).text),
  )

  it.each([
    'password: user-form-v2',
    'password: config.form2.value',
    'The admin password is stored in 1Password under "x"',
    "type: 'password', name: 'Login-Form-2'",
    'The password page is Reset-Page-2.tsx',
    `docker run -e DB_PASSWORD="\${DB_PASSWORD:?must be set}"`,
    "echo 'SGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0Lg==' | base64 -d",
  ])('stay where they are names: %j', (text) => expect(redact(text).text).toBe(text))
})

describe('a secret that a text announces once', () => {
  it('goes wherever the text repeats it', () => {
    expectHidden('password: ⟦Xk29!ffaQ⟧\nRepeat> ⟦Xk29!ffaQ⟧\nssh -l me:⟦Xk29!ffaQ⟧ x', (text) => redact(text).text)
  })

  it('stays inside other words, and a common word stays', () => {
    expect(redact('password=summer12\nsummer123 and "password": "sunflower", a sunflower').text).toBe(
      'password=[redacted:password]\nsummer123 and "password": "[redacted:password]", a sunflower',
    )
  })
})

describe('the output of a command that prints names', () => {
  const printed = (command: string, output: string): string => redact(output, { command, failed: false }).text

  it.each([
    ['kubectl get secrets -n prod', 'NAME     TYPE     DATA   AGE\nweb-7    Opaque   4      3d'],
    ['vault kv list secret/team', 'Keys\n----\nsmtp'],
    ['pass ls', 'Store\n└── web'],
    ['pass', 'Store\n└── web'],
    ['passwd -S lena', 'lena P 2024-02-11 0 99999 7 -1'],
    ['cat /etc/passwd', 'root:x:0:0:root:/root:/bin/sh'],
    ['docker secret ls', 'ID   NAME\nab   db'],
    ['aws secretsmanager list-secrets', '{"Name": "db"}'],
    ['mkdir -p secrets && npm test', 'Tests 3 passed'],
    ['ls -la ~/.secrets', 'total 0\ndb.txt'],
    ['npm run test:password', 'Tests 3 passed'],
    ['kubectl delete secret db', 'secret "db" deleted'],
    ['cd internal/token && go test ./...', 'ok internal/token 0.2s'],
  ])('stays: %j', (command, output) => expect(printed(command, output)).toBe(output))

  it.each([
    ['kubectl get secret db -o yaml', 'a: summer'],
    ['ls; pass show mail', 'summer'],
    ['pass mail/list', 'summer'],
    ['op item get x --fields label=username,label=password', 'svc,summer'],
    ['lpass show --password mail', 'summer'],
    ['gopass show mail', 'summer'],
    ['pass test', 'summer'],
    ['./get-password.sh test', 'summer'],
    ['op read "op://lab/mail/credential"', 'summer'],
    ['psql -tAc "select password from users where id=1"', 'summer'],
    ['openssl rand -base64 24', 'k9Xq2mPz7Lw4Rt8v'],
  ])('goes with the value of %j', (command, output) => expect(printed(command, output)).toBe('[redacted:output]'))
})
