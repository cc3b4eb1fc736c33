import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** A shell in a real terminal emulator. */
export interface Tmux extends AsyncDisposable {
  /** Presses keys by their names in tmux: `Enter`, `C-c`, or text. */
  press(...keys: string[]): Promise<void>
  /** Types a command and runs it. */
  run(command: string): Promise<void>
  /** The screen without the spaces at the ends of its lines; `isStyled` with its colours. */
  screen(isStyled?: boolean): Promise<string>
  /** The screen, once it matches. */
  shows(pattern: RegExp): Promise<string>
  resize(columns: number, rows: number): Promise<void>
  /** What a program put on the clipboard. */
  clipboard(): Promise<string>
  /** A format of tmux, such as `#{alternate_on}`. */
  format(text: string): Promise<string>
}

const shownWithinMs = 120_000

/** Starts one of 80 × 24 cells, with a server of its own. */
export const startTmux = async (env: NodeJS.ProcessEnv = {}): Promise<Tmux> => {
  const folder = await mkdtemp(join(tmpdir(), 'tmux-'))
  const call = promisify(execFile)
  const tmux = async (...args: string[]) => {
    const { NO_COLOR: _color, TMUX: _tmux, ...outer } = process.env
    const { stdout } = await call('tmux', ['-u', '-S', join(folder, 'socket'), '-f', '/dev/null', ...args], {
      env: { ...outer, LC_ALL: 'C.UTF-8', SHELL: '/bin/bash', ...env },
    })
    return stdout
  }
  await tmux('new-session', '-d', '-x', '80', '-y', '24', 'exec bash --norc --noprofile')
  await tmux('set-option', '-s', 'set-clipboard', 'on')
  const press = async (...keys: string[]) => {
    await tmux('send-keys', ...keys)
  }
  const screen = (isStyled = false) => tmux('capture-pane', '-p', ...(isStyled ? ['-e'] : []))
  return {
    press,
    screen,
    async run(command) {
      await press('-l', command)
      await press('Enter')
    },
    async shows(pattern) {
      const deadline = performance.now() + shownWithinMs
      for (;;) {
        const shown = await screen()
        if (pattern.test(shown)) return shown
        if (performance.now() > deadline) throw new Error(`no ${String(pattern)} on the screen:\n${shown}`)
        await pause(50)
      }
    },
    async resize(columns, rows) {
      await tmux('resize-window', '-x', String(columns), '-y', String(rows))
    },
    async format(text) {
      return (await tmux('display-message', '-p', text)).trim()
    },
    clipboard: () => tmux('show-buffer'),
    async [Symbol.asyncDispose]() {
      await tmux('kill-server')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
