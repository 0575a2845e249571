/** Wraps a command so that it runs where nothing but loopback exists, on machines that allow that. */
import { spawnSync } from 'node:child_process'

/**
 * The network namespace is new and empty, so its loopback has to be switched on first.
 * Without root, `unshare` or `ip` the command comes back unchanged: the host then only has the settings that keep it quiet.
 *
 * @param {readonly string[]} command program and arguments
 * @returns {string[]} the command to start instead
 */
export function onLoopbackOnly(command) {
  const wrapped = ['unshare', '-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  const [program, ...args] = [...wrapped, 'true']
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0 ? [...wrapped, ...command] : [...command]
}
