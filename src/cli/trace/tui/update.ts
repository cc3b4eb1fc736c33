import type { TraceGroup } from '../trace-groups.ts'
import { contentLines, contentRows, groupRecord } from './content.ts'
import { curlCommand } from './curl-command.ts'
import type { Key } from './keys.ts'
import { matchingLines } from './search.ts'
import { type ScreenSize, selectedRequest, tabNames, type TraceProgress, type TuiState } from './tui-state.ts'

/** What happened. */
export type TuiAction =
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'resize'; readonly size: ScreenSize }
  | { readonly type: 'requests'; readonly requests: readonly TraceGroup[]; readonly lostEvents: number }
  | { readonly type: 'progress'; readonly progress: TraceProgress }

/** What has to be done besides drawing the new state. */
export type TuiCommand =
  | { readonly type: 'quit' | 'interrupt' | 'suspend' | 'redraw' }
  | { readonly type: 'copy'; readonly text: string }

/** A new state, and what to do. */
export interface TuiStep {
  readonly state: TuiState
  readonly command?: TuiCommand
}

/** The state after something happened. */
export const update = (state: TuiState, action: TuiAction): TuiStep => {
  if (action.type === 'resize') return { state: clamped({ ...state, size: action.size }) }
  if (action.type === 'progress') return { state: withProgress(state, action.progress) }
  if (action.type === 'requests') return { state: withRequests(state, action) }
  const { key } = action
  const command = alwaysCommands[key]
  if (command !== undefined) return { state, command: { type: command } }
  const quiet = { ...state, notice: '' }
  return state.search?.isTyping === true ? { state: typed(quiet, key) } : pressed(quiet, key)
}

const alwaysCommands: Readonly<Record<Key, 'interrupt' | 'suspend' | 'redraw'>> = {
  'ctrl-c': 'interrupt',
  'ctrl-z': 'suspend',
  'ctrl-l': 'redraw',
}

const withRequests = (
  state: TuiState,
  { requests, lostEvents }: Extract<TuiAction, { type: 'requests' }>,
): TuiState => {
  const isGone = !requests.some(({ number }) => number === state.selected)
  const newest = requests.at(-1)?.number
  // A request that is read stays, whatever arrives.
  const mayMove = state.screen === 'list' && state.isFollowing
  const selected =
    mayMove || state.selected === undefined ? newest : isGone ? requests[0]?.number : state.selected
  const next = { ...state, requests, lostEvents, selected }
  return selected === state.selected ? clamped(next) : revealed(next)
}

/** A trace that ends with a single request opens it. */
const withProgress = (state: TuiState, progress: TraceProgress): TuiState => {
  const next = { ...state, progress }
  return progress.type === 'ended' && state.requests.length === 1 && state.screen === 'list'
    ? opened(next)
    : next
}

/** A key while a search is typed. */
const typed = (state: TuiState, key: Key): TuiState => {
  const { text, foundAt } = state.search ?? { text: '', foundAt: undefined }
  if (key === 'escape') return { ...state, search: undefined }
  if (key === 'return')
    return { ...state, search: text === '' ? undefined : { text, foundAt, isTyping: false } }
  const characters = Array.from(text)
  const next =
    key === 'backspace'
      ? characters.slice(0, -1).join('')
      : key === 'ctrl-u'
        ? ''
        : Array.from(key).length === 1
          ? text + key
          : text
  const search = { text: next.slice(0, maxSearch), isTyping: true, foundAt: undefined }
  return moveToMatch({ ...state, search }, 'here')
}

const maxSearch = 200

/** A key otherwise. */
const pressed = (state: TuiState, key: Key): TuiStep => {
  if (key === 'q' || key === 'escape') return back(state, key)
  if (key === '?') return { state: { ...state, overlay: 'help', scroll: 0, search: undefined } }
  if (key === '/') return { state: { ...state, search: { text: '', isTyping: true, foundAt: undefined } } }
  if (key === 'n') return { state: moveToMatch(state, 'next') }
  if (key === 'N') return { state: moveToMatch(state, 'previous') }
  const move = movement(state, key)
  if (move !== undefined) return { state: moved(state, move) }
  if (state.overlay !== undefined) return { state }
  if (key === 'c') return copied(state)
  if (key === 'f') return { state: following(state) }
  if (key === '[' || key === ']') return { state: selectedBy(state, key === '[' ? -1 : 1) }
  if (state.screen === 'request') return { state: tabPressed(state, key) }
  if (key === 'return' || key === 'right' || key === 'l') return { state: opened(state) }
  return { state }
}

const back = (state: TuiState, key: Key): TuiStep => {
  if (state.search && key === 'escape') return { state: { ...state, search: undefined } }
  if (state.overlay !== undefined)
    return { state: revealed({ ...state, overlay: undefined, scroll: 0, search: undefined }) }
  const hasList =
    state.requests.length > 1 || (state.startScreen === 'list' && state.progress.type !== 'ended')
  if (state.screen === 'request' && hasList)
    return { state: revealed({ ...state, screen: 'list', scroll: 0, search: undefined }) }
  // Escape alone must not end a session by accident.
  return key === 'q' ? { state, command: { type: 'quit' } } : { state: { ...state, notice: 'q quits' } }
}

const copied = (state: TuiState): TuiStep => {
  const request = selectedRequest(state)
  if (!request) return { state: { ...state, notice: 'nothing to copy yet' } }
  const { command } = curlCommand(groupRecord(request))
  const next = { ...state, overlay: 'curl' as const, scroll: 0, search: undefined }
  if (command === '') return { state: next }
  const notice = 'sent to the clipboard of the terminal; if it takes none, select it here'
  return { state: { ...next, notice }, command: { type: 'copy', text: command } }
}

const following = (state: TuiState): TuiState => {
  const isFollowing = !state.isFollowing
  const notice = isFollowing ? 'new requests are selected' : 'the selection stays'
  const selected = isFollowing ? (state.requests.at(-1)?.number ?? state.selected) : state.selected
  return revealed({ ...state, isFollowing, notice, selected })
}

const opened = (state: TuiState): TuiState =>
  state.selected === undefined ? state : { ...state, screen: 'request', scroll: 0, search: undefined }

const tabPressed = (state: TuiState, key: Key): TuiState => {
  const count = tabNames.length
  const digit = /^[1-9]$/.test(key) ? Number(key) - 1 : undefined
  const tab =
    digit ??
    (key === 'tab' || key === 'right' || key === 'l'
      ? (state.tab + 1) % count
      : key === 'shift-tab' || key === 'left' || key === 'h'
        ? (state.tab + count - 1) % count
        : state.tab)
  return tab < count && tab !== state.tab ? { ...state, tab, scroll: 0 } : state
}

/** By how many lines a key moves; undefined for other keys. */
const movement = (state: TuiState, key: Key): number | undefined => {
  const page = Math.max(1, contentRows(state) - 1)
  const steps: Readonly<Record<Key, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    pageup: -page,
    b: -page,
    pagedown: page,
    ' ': page,
    home: -Infinity,
    g: -Infinity,
    end: Infinity,
    G: Infinity,
  }
  return steps[key]
}

const moved = (state: TuiState, lines: number): TuiState =>
  state.overlay === undefined && state.screen === 'list'
    ? selectedBy(state, lines)
    : clamped({ ...state, scroll: state.scroll + lines })

/** Selects another request. The newest is followed from then on, an older one stays selected. */
const selectedBy = (state: TuiState, steps: number): TuiState => {
  const { requests, selected } = state
  const index = requests.findIndex(({ number }) => number === selected)
  const next = Math.min(requests.length - 1, Math.max(0, index + steps))
  const number = requests[next]?.number
  const scroll = state.screen === 'request' && number !== selected ? 0 : state.scroll
  return revealed({ ...state, selected: number, isFollowing: next === requests.length - 1, scroll })
}

/** Scrolls to a line that the search finds, from the top of the screen or the selected request on. */
const moveToMatch = (state: TuiState, way: 'here' | 'next' | 'previous'): TuiState => {
  const { search, requests } = state
  if (search === undefined || search.text === '') return state
  const found = matchingLines(contentLines(state), search.text)
  if (found.length === 0) return { ...state, notice: `not found: ${search.text}` }
  const isList = state.overlay === undefined && state.screen === 'list'
  const at = isList
    ? requests.findIndex(({ number }) => number === state.selected)
    : (search.foundAt ?? state.scroll)
  const target =
    way === 'previous'
      ? (found.findLast((index) => index < at) ?? found.at(-1))
      : (found.find((index) => (way === 'here' ? index >= at : index > at)) ?? found[0])
  if (target === undefined) return state
  return isList
    ? revealed({ ...state, selected: requests[target]?.number, isFollowing: false })
    : clamped({ ...state, search: { ...search, foundAt: target }, scroll: visibleScroll(state, target) })
}

/** Scrolls only as far as a line needs to be seen. */
const visibleScroll = (state: TuiState, index: number): number =>
  Math.min(Math.max(state.scroll, index - contentRows(state) + 1), index)

/** The list scrolled so that the selected request is seen. */
const revealed = (state: TuiState): TuiState => {
  if (state.screen !== 'list' || state.overlay !== undefined) return clamped(state)
  const index = state.requests.findIndex(({ number }) => number === state.selected)
  return clamped({ ...state, scroll: visibleScroll(state, Math.max(0, index)) })
}

const clamped = (state: TuiState): TuiState => {
  const most = Math.max(0, contentLines(state).length - contentRows(state))
  return { ...state, scroll: Math.min(most, Math.max(0, state.scroll)) }
}
