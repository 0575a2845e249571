/** What the host tells its hooks through the environment. */

/** Without a shell in between, our parent is the host. */
export function hostPidIn(env: NodeJS.ProcessEnv): number {
  return Number(env.CLAUDE_PID) || process.ppid
}

/** Someone sits in front of this session. The older host says only how it was started. */
export function isAttendedIn(env: NodeJS.ProcessEnv): boolean {
  return env.CLAUDE_CODE_SESSION_ATTENDED === undefined
    ? env.CLAUDE_CODE_ENTRYPOINT === 'cli' || env.CLAUDE_CODE_ENTRYPOINT === 'claude-vscode'
    : env.CLAUDE_CODE_SESSION_ATTENDED === '1'
}
