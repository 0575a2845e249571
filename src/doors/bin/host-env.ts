/** The environment variables that the host sets for its hooks. */

/** Without a shell in between, our parent is the host. */
export function hostPidIn(env: NodeJS.ProcessEnv): number {
  return Number(env.CLAUDE_PID) || process.ppid
}

/** A person attends this session. An older host only gives the entry point. */
export function isAttendedIn(env: NodeJS.ProcessEnv): boolean {
  return env.CLAUDE_CODE_SESSION_ATTENDED === undefined
    ? env.CLAUDE_CODE_ENTRYPOINT === 'cli' || env.CLAUDE_CODE_ENTRYPOINT === 'claude-vscode'
    : env.CLAUDE_CODE_SESSION_ATTENDED === '1'
}
