/** Builds the dashboard's page: script and style of src/extras/page/browser in one HTML file that asks nobody for anything. */
import { join } from 'node:path'
import { build } from 'esbuild'

/** A sign of its own in the browser's tab: three lines of a timeline. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6460'/%3E%3Cpath d='M4 5h8M4 8h5M4 11h7' stroke='white' stroke-width='1.5' stroke-linecap='round'/%3E%3C/svg%3E"

/** Gives the page as `{ path, contents }`; writing or comparing it is the caller's. */
export async function buildPage({ root }) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { page: 'src/extras/page/browser/main.tsx', style: 'src/extras/page/browser/style/page.css' },
    outdir: 'out',
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    charset: 'utf8',
  })
  const text = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text.trim()
  const script = text('page.js')
  const style = text('style.css')
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) {
    throw new Error('The page holds a text that would end its own script or style.')
  }
  return {
    path: join(root, 'plugin', 'dist', 'page.html'),
    contents: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Memory Keeper</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript. Everything it shows can also be had from the command line: memory-keeper --help</noscript>
<div id="page"></div>
<script>${script}</script>
</body>
</html>
`,
  }
}
