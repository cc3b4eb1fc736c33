/** Runs the benches named on the command line, or all of them; exits non-zero if a figure is over its budget. */
import { agctlFigures } from './agctl.ts'
import { availabilityFigures } from './availability.ts'
import { celFigures } from './cel.ts'
import { compileFigures } from './compile.ts'
import { controllerFigures } from './controller.ts'
import { fleetFigures } from './fleet.ts'
import { guardedFigures } from './guarded.ts'
import { guardFigures } from './guards.ts'
import { identityFigures } from './identity.ts'
import { introspectionFigures } from './introspection.ts'
import { llmFigures } from './llm.ts'
import { mcpFigures } from './mcp.ts'
import { memoryFigures } from './memory.ts'
import { otlpFigures } from './otlp.ts'
import { pipelineFigures } from './pipeline.ts'
import { profileFigures } from './profile.ts'
import { proxyFigures } from './proxy.ts'
import { reloadFigures } from './reload.ts'
import { routesFigures } from './routes.ts'
import { sizeFigures } from './size/sizes.ts'
import { sizingFigures } from './size/sizing.ts'
import { startupFigures } from './startup.ts'
import { generator } from './support/load.ts'
import { type Figure, report } from './support/report.ts'
import { traceFigures } from './trace.ts'

const benches: Readonly<Record<string, () => Figure[] | Promise<Figure[]>>> = {
  pipeline: pipelineFigures,
  cel: celFigures,
  proxy: () => proxyFigures(),
  routes: routesFigures,
  compile: compileFigures,
  identity: identityFigures,
  mcp: mcpFigures,
  llm: llmFigures,
  guards: async () => [...guardFigures(), ...(await guardedFigures())],
  trace: traceFigures,
  profile: profileFigures,
  otlp: otlpFigures,
  reload: reloadFigures,
  memory: memoryFigures,
  introspection: introspectionFigures,
  availability: availabilityFigures,
  agctl: agctlFigures,
  startup: startupFigures,
  sizes: sizeFigures,
  sizing: sizingFigures,
  controller: controllerFigures,
  fleet: fleetFigures,
}

console.log(`Node ${process.version}, load by ${generator}; ratios compare programs within this run`)
const names = process.argv.slice(2)
let within = true
for (const name of names.length ? names : Object.keys(benches)) {
  const bench = benches[name]
  if (!bench) throw new Error(`no bench called ${name}; there are ${Object.keys(benches).join(', ')}`)
  if (!report(await bench())) within = false
}
process.exitCode = within ? 0 : 1
