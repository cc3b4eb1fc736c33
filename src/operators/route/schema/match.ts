import {
  exactlyOne,
  formatted,
  listOf,
  type Properties,
  record,
  ref,
  text,
} from '../../../config/schema/builders.ts'

const value = record(
  'Match on a value; set exactly one field.',
  {
    exact: text('Exact match.'),
    regex: formatted('matchRegex', 'Regular expression that must match the whole value.'),
  },
  exactlyOne('exact', 'regex'),
)

const path = record(
  'Match on the request path; set exactly one field.',
  {
    exact: formatted('matchPath', 'Exact match.'),
    pathPrefix: formatted('matchPath', 'Prefix match by path segments: `/a` matches `/a/b` but not `/ab`.'),
    regex: formatted('matchRegex', 'Regular expression that must match the whole path.'),
  },
  exactlyOne('exact', 'pathPrefix', 'regex'),
)

const match = record('Conditions, all of which must match.', {
  path: { ...ref('PathMatch'), default: { pathPrefix: '/' } },
  method: formatted('method', 'Request method, case-sensitive.'),
  headers: listOf(
    record(
      'A header condition.',
      {
        name: formatted('headerOrPseudo', 'Header name, or a pseudo-header such as `:authority`.'),
        value: ref('ValueMatch'),
      },
      { required: ['name', 'value'] },
    ),
    'Header conditions.',
  ),
  query: listOf(
    record(
      'A query parameter condition.',
      { name: text('Parameter name.', { minLength: 1 }), value: ref('ValueMatch') },
      { required: ['name', 'value'] },
    ),
    'Query parameter conditions. If a parameter is repeated, its last value is used.',
  ),
})

/** Definitions of matches. */
export const matchDefinitions: Properties = { ValueMatch: value, PathMatch: path, Match: match }
