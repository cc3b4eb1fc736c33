import { child } from '../instance-path.ts'
import { refusesEncodedSlashes } from '../normalize/paths.ts'
import { httpRoutes } from './sites.ts'
import type { Examine } from './view.ts'

/** Paths that no request can have under the rules for paths of this very file. */
export const examineMatchPaths: Examine = (view) => {
  if (!refusesEncodedSlashes(view.file)) return
  for (const route of httpRoutes(view)) {
    for (const { value, pointer } of view.items(route.value.matches, child(route.pointer, 'matches'))) {
      const { exact, pathPrefix } = value.path ?? {}
      const text = exact ?? pathPrefix
      if (text === undefined || !/\\|%2F|%5C/i.test(text)) continue
      view.wrongValue(
        child(child(pointer, 'path'), exact === undefined ? 'pathPrefix' : 'exact'),
        'can never match: requests with an encoded slash or backslash are refused',
        { value: text, hint: 'frontendPolicies.http.path.encodedSlashes: keep lets them pass' },
      )
    }
  }
}
