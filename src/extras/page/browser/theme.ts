/** Light or dark: the system's choice, until the user chooses. */
import { createSource } from './source.ts'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'memory-keeper-theme'
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

export const theme = createSource<Theme>(THEMES.find((one) => one === localStorage.getItem(KEY)) ?? 'auto')
/** The effective theme: charts are redrawn when it changes. */
export const isDark = createSource(false)

function settle(): void {
  const chosen = theme.get()
  if (chosen === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  isDark.set(chosen === 'auto' ? systemIsDark.matches : chosen === 'dark')
}

export function chooseTheme(next: Theme): void {
  localStorage.setItem(KEY, next)
  theme.set(next)
}

export function startTheme(): void {
  settle()
  theme.watch(settle)
  systemIsDark.addEventListener('change', settle)
}
