import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/redact/redact.ts'
import { ORDINARY_TEXTS, SECRET_FORMS, SPLIT_FORMS } from '../fixtures/secret-forms.ts'

const { redact } = createRedactor({ enabled: true, extraPatterns: [] })

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

describe('texts that speak of secrets', () => {
  it.each(ORDINARY_TEXTS)('leaves alone: %j', (text) => {
    expect(redact(text)).toEqual({ text, count: 0 })
  })
})
