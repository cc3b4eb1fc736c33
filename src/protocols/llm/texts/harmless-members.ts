/**
 * Whether the name of an unknown member stands for an identifier, an enumeration or a location, in any case of letters.
 *
 * All others count as texts: formats get new members, and a guard has to see what a model reads from the first day on.
 */
export const isHarmless = (name: string): boolean => {
  if (/(?:[a-z0-9]I[dD]s?|_ids?|[a-z]Ur[li]|_ur[li])$/.test(name)) return true
  return harmless.has(name.toLowerCase().replaceAll(/[_-]/g, ''))
}

/** Whether a string is long and consists of base64 characters only, unlike any text. */
export const isBytes = (text: string): boolean =>
  text.length >= LEAST_BYTES && /^[\w+/=-]+$/.test(text.slice(0, LOOKED_AT)) && !text.includes(' ')

const LEAST_BYTES = 1024
const LOOKED_AT = 65_536

const harmless: ReadonlySet<string> = new Set([
  // Types and identifiers.
  ...['id', 'ids', 'type', 'types', 'object', 'role', 'kind', 'model', 'models', 'modelversion', 'version'],
  ...['user', 'container', 'conversation', 'systemfingerprint', 'etag', 'namespace', 'serverlabel', 'label'],
  ...[
    'promptcachekey',
    'safetyidentifier',
    'cachedcontent',
    'obfuscation',
    'provider',
    'caller',
    'rankfields',
  ],
  ...['guardrailidentifier', 'guardrailversion', 'promptidentifier', 'phase', 'workflowname', 'purpose'],
  // Locations.
  ...['url', 'uri', 'urls', 'uris', 'retrievedurl', 's3location', 'bucketowner', 'domain'],
  // Outcomes and times.
  ...[
    'status',
    'finishreason',
    'stopreason',
    'stopsequence',
    'nativefinishreason',
    'outcome',
    'code',
    'param',
  ],
  ...[
    'createtime',
    'createdat',
    'created',
    'expiresat',
    'updatetime',
    'pageage',
    'ttl',
    'startoffset',
    'endoffset',
  ],
  ...['blockreason', 'urlretrievalstatus', 'modality', 'traffictype', 'probability', 'severity', 'license'],
  // Settings, which are enumerations.
  ...['mediatype', 'mimetype', 'responsemimetype', 'format', 'encoding', 'encodingformat', 'outputformat'],
  ...[
    'detail',
    'quality',
    'size',
    'background',
    'moderation',
    'inputfidelity',
    'partialimages',
    'aspectratio',
  ],
  ...['imagesize', 'language', 'languagecode', 'voice', 'voicename', 'modalities', 'outputmodalities'],
  ...['responsemodalities', 'mediaresolution', 'effort', 'reasoningeffort', 'generatesummary', 'verbosity'],
  ...['thinkinglevel', 'display', 'mode', 'toolchoice', 'functioncall', 'include', 'truncation', 'truncate'],
  ...[
    'servicetier',
    'speed',
    'inferencegeo',
    'latency',
    'trace',
    'category',
    'threshold',
    'method',
    'ranker',
  ],
  ...['stop', 'stopsequences', 'inputtype', 'embeddingtypes', 'embeddingpurpose', 'tasktype', 'syntax'],
  ...['searchcontextsize', 'memorylimit', 'execution', 'environment', 'eagerness', 'behavior', 'schedule'],
  ...['anthropicversion', 'anthropicbeta', 'betas', 'promptcacheretention', 'requireapproval', 'comparator'],
  ...[
    'citationtype',
    'apitype',
    'dynamicmode',
    'sortby',
    'unit',
    'units',
    'memory',
    'streamprocessingmode',
    'tracing',
    'jsonpath',
  ],
  // Names of tools.
  ...[
    'allowedtools',
    'disallowedtools',
    'allowedcallers',
    'allowedfunctionnames',
    'excludetools',
    'toolname',
  ],
  ...['servername', 'functionname', 'toolnames', 'keep', 'additionalmodelresponsefieldpaths', 'required'],
])
