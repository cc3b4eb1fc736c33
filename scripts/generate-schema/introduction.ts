/** What the page says before the tables. */
export const introduction = `<!-- Generated from src/config/schema by scripts/generate-schema.ts. Do not edit. -->

# Configuration

Put this line at the top of a configuration, and editors with a YAML language server complete and check it while you type:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/agentgateway/config/schema.json
\`\`\`

In a checkout, \`$schema=../config/schema.json\` does the same.

Check a file with \`agentgateway -f gateway.yaml --validate-only\`. It prints every problem at once, each with file, line, column, field and a hint, and ends with 1; or \`Configuration is valid!\`, and ends with 0. Warnings go to standard error and change nothing.

## Where it is read from

| Flag | Source |
| --- | --- |
| \`-f FILE\`, \`--file FILE\` | A file. It is watched and loaded again when it changes. |
| \`-f -\` | Standard input, read once. |
| \`-c TEXT\`, \`--config TEXT\` | The text itself. |
| none | \`/config/config.yaml\`, else \`$XDG_CONFIG_HOME/agentgateway/config.yaml\` (\`~/.config\` where the variable is not set). If there is none, the gateway says so and ends. |

YAML 1.2 and JSON are read, with anchors, aliases and merge keys (\`<<\`). A file that is wrong in any way changes nothing: the gateway keeps what it has. Files that it names, such as keys and documents, are looked for from the folder that the gateway was started in.

## Variables in the file

| Written | Becomes |
| --- | --- |
| \`$NAME\`, \`\${NAME}\` | The environment variable. Names are upper-case letters, digits and \`_\`. One that is not set is an error. |
| \`\${NAME:-default}\` | The variable, or the default where it is not set or empty. |
| \`$$\` | \`$\` |
| \`\${CONFIG_DIR}\` | The folder of the configuration file, unless the environment says otherwise. |
| any other \`$\` | Itself, as are password hashes such as \`$apr1$salt$hash\`. |

Variables are put into values, after the file was parsed: never into comments or field names, and never so that they could add fields. A value without quotes gets the type of what was put in. Inside \`{ }\` and \`[ ]\`, write quotes around \`"\${NAME}"\`. Values that came from variables do not appear in messages.

## Environment

These variables win over the file.

| Variable | Field |
| --- | --- |
| \`ADMIN_ADDR\`, \`STATS_ADDR\`, \`READINESS_ADDR\` | \`config.adminAddr\`, \`config.statsAddr\`, \`config.readinessAddr\` |
| \`CONNECTION_TERMINATION_DEADLINE\`, \`CONNECTION_MIN_TERMINATION_DEADLINE\` | \`config.connectionTerminationDeadline\`, \`config.connectionMinTerminationDeadline\` |
| \`TERMINATION_GRACE_PERIOD_SECONDS\` | The deadline where neither its variable nor its field is set: 5 s less from 11 s on, otherwise 1 s less, at least 1 s. |
| \`IPV6_ENABLED\` | \`config.enableIpv6\` |
| \`DNS_LOOKUP_FAMILY\` | \`config.dns.lookupFamily\` |
| \`GUARDRAIL_WEBHOOK_MAX_CONNECTIONS\` | No field. Connections to each address of a guard's webhook: 100; 0 is no limit |
| \`GUARDRAIL_WEBHOOK_KEEPALIVE_SECONDS\` | No field. How long an idle one of them is kept: 300 |
| \`LOG_FORMAT\` | \`config.logging.format\` |
| \`SESSION_KEY\` | \`config.session.key\`; several keys have commas between them |
| \`OIDC_COOKIE_SECRET\` | The same, for those who are signed in |

## Which route is chosen

Hosts first: an exact name, then the longest \`*.suffix\`, then routes without host names. Then exact paths; then prefixes and expressions, the longer text first; then matches with a method, with more headers, with more query conditions; then the order in the file. Of identical matchers the first in the file wins. The others are never chosen, which is a warning at load, with \`--validate-only\` and in \`/config_dump\`.

A route without \`matches\` takes every path. Limits that are called local mean this process.`
