import { readFileSync, writeFileSync } from 'node:fs'

const page = 'docs/guides/trace-in-the-terminal.md'

/**
 * A screen of the guide, and the same screen as it was captured, both without what differs between runs and with one of several empty lines. With
 * `UPDATE_SCREENS=1` the guide gets the captured one.
 */
export const documentedScreen = (name: string, captured: string, ports: Readonly<Record<string, string>>) => {
  let shown = captured.trimEnd()
  for (const [port, documented] of Object.entries(ports))
    shown = shown.replaceAll(`:${port}`, `:${documented}`.padEnd(port.length + 1))
  shown = shown.replaceAll(/[ ]+$/gm, '').replaceAll(/\n{3,}/g, '\n\n')
  const block = new RegExp(`(\`\`\`text screen=${name}\n)(.*?)(\n\`\`\`)`, 's')
  if (process.env.UPDATE_SCREENS)
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace(
        block,
        (_all, start: string, _old, end: string) => start + shown + end,
      ),
    )
  const documented = block.exec(readFileSync(page, 'utf8'))?.[2] ?? ''
  return { documented: withoutTimes(documented), shown: withoutTimes(shown) }
}

const withoutTimes = (screen: string): string =>
  screen
    .replaceAll(/[█╵]/g, ' ')
    .replaceAll(/[\d.]+m?s\b/g, 'TIME')
    .replaceAll(/\d{2}:\d{2}:\d{2}|\w{3}, \d+ \w+ \d{4}/g, 'TIME')
    .replaceAll(/ +/g, ' ')
