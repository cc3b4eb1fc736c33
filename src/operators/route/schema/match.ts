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
  'What the value must be.',
  {
    exact: text('Exactly this text.'),
    regex: formatted('regex', 'The whole value matches this expression.'),
  },
  exactlyOne('exact', 'regex'),
)

const path = record(
  'What the path of the request must be.',
  {
    exact: formatted('matchPath', 'Exactly this path.'),
    pathPrefix: formatted(
      'matchPath',
      'This path or one below it, by whole segments: `/a` takes `/a/b` but not `/ab`.',
    ),
    regex: formatted('regex', 'The whole path matches this expression.'),
  },
  exactlyOne('exact', 'pathPrefix', 'regex'),
)

const match = record('Conditions that must all hold.', {
  path: { ...ref('PathMatch'), default: { pathPrefix: '/' } },
  method: formatted('method', 'The method, compared with case.'),
  headers: listOf(
    record(
      'A condition on one header.',
      {
        name: formatted('headerOrPseudo', 'Name of the header, or a pseudo-header such as `:authority`.'),
        value: ref('ValueMatch'),
      },
      { required: ['name', 'value'] },
    ),
    'Conditions on headers.',
  ),
  query: listOf(
    record(
      'A condition on one query parameter.',
      { name: text('Name of the parameter.', { minLength: 1 }), value: ref('ValueMatch') },
      { required: ['name', 'value'] },
    ),
    'Conditions on query parameters. Where a parameter is repeated, its last value counts.',
  ),
})

/** Definitions about matches. */
export const matchDefinitions: Properties = { ValueMatch: value, PathMatch: path, Match: match }
