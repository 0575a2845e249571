/** The page's program: renders everything into the one element of the document. */
import { render } from 'preact'
import { App } from './app.tsx'
import { startTheme } from './theme.ts'

const root = document.getElementById('page')
startTheme()
if (root !== null) render(<App />, root)
