/**
 * A command that each process of the gateway carries out: the counterpart of a report. Endpoints check a command before
 * they send it, so that no process refuses what another one has done.
 *
 * A process that starts later gets the commands that are still in force, so each must be complete in itself.
 *
 * @example
 * const greet: ProcessCommand<string> = { name: 'greet', apply: (name) => log.info(`hello ${name}`) }
 */
export interface ProcessCommand<Command> {
  /** Unique among the commands. */
  readonly name: string
  /** Carries it out in this process. Commands are plain data that survive `structuredClone`. */
  apply(command: Command): void | Promise<void>
}
