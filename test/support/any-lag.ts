/** A configuration under which a gateway refuses no request for being late: some tests occupy a slow machine for seconds. */
export const anyLag = 'frontendPolicies: { admission: { lag: 60s } }\n'
