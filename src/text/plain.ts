/** A text on one line without the markers of markdown; code between backticks stays as it is. */
export function plain(text: string): string {
  if (!/[`*_[\]<\s]/.test(text)) return text
  return text
    .replace(/\s+/g, ' ')
    .split(/(`[^`]+`)/)
    .map((part, i) => (i % 2 === 1 ? part : withoutMarkers(part)))
    .join('')
    .replace(/ {2,}/g, ' ')
    .trim()
    .replace(/^(?:\[[ xX]\]|\p{Extended_Pictographic}\ufe0f?) /u, '')
    .trim()
}

function withoutMarkers(text: string): string {
  return text
    .replace(/!\[[^[\]\n]{0,300}\]\([^)\n]{0,1000}\)/g, '')
    .replace(/\[([^[\]\n]{1,300})\]\((?:[^()\n]|\([^()\n]{0,300}\)){0,1000}\)/g, '$1')
    .replace(/\*\*/g, '')
    .replace(/(^|\s)__(\S[^_\n]{0,300} [^_\n]{0,300}\S)__(?=\s|$|[.,;:!?)])/g, '$1$2')
    .replace(/(^|[\s(])\*(\S(?:[^*\n]{0,300}\S)?)\*(?=$|[\s).,;:!?])/g, '$1$2')
    .replace(/^\s*<[a-z][\w-]{0,30}>\s*|\s*<\/[a-z][\w-]{0,30}>\s*$/gi, '')
}
