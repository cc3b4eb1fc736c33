import { emitKeypressEvents, type Interface, type Key as Keypress } from 'node:readline'
import { Observable } from 'rxjs'

/** A key: its name, such as `up`, `escape` or `ctrl-c`, or the character that it types. */
export type Key = string

/** The keys that are pressed on a terminal in raw mode, until its input ends. */
export const keysOf = (input: NodeJS.ReadableStream): Observable<Key> =>
  new Observable((subscriber) => {
    const onKeypress = (text: string | undefined, key: Keypress) => {
      subscriber.next(keyName(text, key))
    }
    const onEnd = () => subscriber.complete()
    // A lone escape is a key once nothing has followed for so long.
    emitKeypressEvents(input, { escapeCodeTimeout: 50 } as unknown as Interface)
    input.on('keypress', onKeypress).once('end', onEnd).once('error', onEnd)
    return () => {
      input.off('keypress', onKeypress).off('end', onEnd).off('error', onEnd)
      input.pause()
    }
  })

/** The name of a key as Node's parser reports it. */
export const keyName = (text: string | undefined, { name, ctrl, shift, sequence }: Keypress): Key => {
  if (ctrl && name !== undefined) return `ctrl-${name}`
  if (name === 'enter') return 'return'
  if (name === 'tab' && shift) return 'shift-tab'
  const typed = text ?? sequence ?? ''
  if (typed.length > 0 && !/\p{Cc}/u.test(typed)) return typed
  return name ?? ''
}
