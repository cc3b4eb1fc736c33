import { contentLines, contentRows, groupRecord } from './content.ts'
import { requestLine, requestLineHead } from './request-line.ts'
import { markMatches, matchingLines } from './search.ts'
import { cell, clipLine, type Line, line, lineText, type StyledText, span } from './span.ts'
import { selectedRequest, tabNames, type TuiState } from './tui-state.ts'

/** The lines of the screen: as many as it has rows, none wider than it has columns. */
export const renderScreen = (state: TuiState): readonly Line[] => {
  const { columns, rows } = state.size
  if (columns < minColumns || rows < minRows)
    return screenLines([line('The terminal is too small: 40 × 8 at least.')], state)
  const all = contentLines(state)
  const shown = all.slice(state.scroll, state.scroll + contentRows(state))
  const text = state.search?.text ?? ''
  const content = (shown.length === 0 ? emptyLines(state) : shown).map((one, index) => {
    const marked = markMatches(one, text)
    return isSelected(state, state.scroll + index) ? reversed(marked, columns) : marked
  })
  const lines = [titleLine(state), ...headLines(state), ...content]
  while (lines.length < rows - 1) lines.push([])
  return screenLines([...lines.slice(0, rows - 1), footerLine(state, all)], state)
}

const minColumns = 40
const minRows = 8

const screenLines = (lines: readonly Line[], { size }: TuiState): readonly Line[] =>
  Array.from({ length: size.rows }, (_, index) => clipLine(lines[index] ?? [], size.columns))

const titleLine = (state: TuiState): Line => {
  const { title, filter, size } = state
  const right = ` ${progressText(state)} `
  const left = ` agctl trace: ${title}${filter === undefined ? '' : `, ${filter}`}`
  return [cell(left, Math.max(0, size.columns - right.length), 'selected'), span(right, 'selected')]
}

const progressText = ({ progress, requests, lostEvents, isFollowing, screen }: TuiState): string => {
  const count = `${String(requests.length)} ${requests.length === 1 ? 'request' : 'requests'}`
  const lost = lostEvents === 0 ? '' : `, ${String(lostEvents)} events lost`
  const state = {
    connecting: 'connecting',
    open: screen === 'list' && isFollowing ? 'following' : 'watching',
    reconnecting: 'connecting again',
    ended: 'complete',
    failed: 'failed',
  }[progress.type]
  return `${count}${lost}, ${state}`
}

const headLines = (state: TuiState): readonly Line[] => {
  const { overlay, screen, tab } = state
  if (overlay === 'help') return [line('Keys', 'strong')]
  if (overlay === 'curl') return [line('The request as a curl command', 'strong')]
  if (screen === 'list') return [line(requestLineHead, 'dim')]
  const request = selectedRequest(state)
  const tabs = tabNames.flatMap((name, index): StyledText[] => [
    ...(index === 0 ? [] : [span(' ')]),
    index === tab
      ? span(`[${String(index + 1)} ${name}]`, 'selected')
      : span(`${String(index + 1)} ${name}`, 'accent'),
  ])
  return [request ? requestLine(request, groupRecord(request)) : [], tabs]
}

const emptyLines = ({ progress, filter, overlay }: TuiState): readonly Line[] => {
  if (overlay !== undefined) return []
  if (progress.type === 'ended') return [line('The trace has no requests.', 'dim')]
  const what = filter === undefined ? 'the next request through the gateway' : 'the next request that matches'
  return [line(`Waiting for ${what} …`, 'dim')]
}

const isSelected = ({ screen, overlay, requests, selected }: TuiState, index: number): boolean =>
  screen === 'list' && overlay === undefined && requests[index]?.number === selected && selected !== undefined

const reversed = (spans: Line, columns: number): Line => [cell(lineText(spans), columns, 'selected')]

const footerLine = (state: TuiState, all: readonly Line[]): Line => {
  const { search, notice, progress, scroll } = state
  if (search?.isTyping)
    return [span('/', 'strong'), span(search.text), span('█'), span(searchText(state, all), 'dim')]
  if (notice !== '') return line(notice, 'warn')
  if (progress.type === 'failed') return line(`${progress.reason} (q quits)`, 'bad')
  const rows = contentRows(state)
  const position =
    all.length > rows
      ? `${String(scroll + 1)}–${String(Math.min(all.length, scroll + rows))} of ${String(all.length)}  `
      : ''
  const found = search === undefined ? '' : `/${search.text}${searchText(state, all)}, n next  `
  return [span(position + found, 'accent'), span(hintsOf(state), 'dim')]
}

const searchText = ({ search }: TuiState, all: readonly Line[]): string => {
  const count = search === undefined || search.text === '' ? 0 : matchingLines(all, search.text).length
  return search?.text ? `  ${String(count)} ${count === 1 ? 'line' : 'lines'}` : ''
}

const hintsOf = ({ overlay, screen }: TuiState): string => {
  if (overlay !== undefined) return 'q back'
  return screen === 'list'
    ? '↑↓ select  Enter open  / search  f follow  c curl  ? keys  q quit'
    : '1–8 view  ↑↓ scroll  / search  c curl  [ ] request  ? keys  q back'
}
