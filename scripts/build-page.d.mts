/** The types of build-page.mjs, for the tests that build the page. */
export function buildPage(where: { root: string }): Promise<{ path: string; contents: string }>
