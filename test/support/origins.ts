/** The marks of authorship that the pinned host (2.1.325) knows. `test/host/marks.test.ts` compares them with its binary. */

/** `origin.kind`. */
export const ORIGIN_KINDS = [
  ...['human', 'peer', 'channel', 'coordinator', 'observer', 'slack-ping', 'voice-call', 'plugin', 'unclassified'],
  ...['task-notification', 'auto-continuation', 'observer-activity'],
] as const

/** `origin.subkind` of a task-notification. */
export const SUBKINDS = ['scheduled-trigger', 'peer-send-message', 'projects-relay', 'session-inbox'] as const

/** `commandMode` of a queued command. */
export const COMMAND_MODES = ['prompt', 'bash', 'task-notification', 'orphaned-permission', 'poll-event'] as const

/** `turnOrigin` of a line that begins a turn. */
export const TURN_ORIGINS = [
  ...['human', 'sdk', 'unknown', 'scheduled', 'auto_continuation', 'task_notification', 'peer', 'host_synthetic'],
  'system',
] as const

/** Fields that mark words as not typed by the user, with a value as the host writes it. */
export const NOT_TYPED: Readonly<Record<string, unknown>> = {
  textNotTyped: true,
  queueSkipAttachments: true,
  queueTranscriptOnly: true,
  handedOff: true,
  verifiedSlackHumanTurn: true,
  emailSenderTurn: 'first',
}

/** Fields of a line that a schedule fired. */
export const SCHEDULED: Readonly<Record<string, unknown>> = {
  wakeupSource: 'loop_wakeup',
  scheduledTaskId: 'c1',
  queuePriority: 'later',
}
