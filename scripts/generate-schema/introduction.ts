/** The introduction of the page. */
export const introduction = `<!-- Generated from src/config/schema by scripts/generate-schema.ts. Do not edit. -->

# Configuration

Put this line at the top of a configuration file, and editors with a YAML language server complete and validate it while you type:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/agentgateway/config/schema.json
\`\`\`

In a checkout, \`$schema=../config/schema.json\` does the same.

Check a file with \`agentgateway -f gateway.yaml --validate-only\`. It prints all problems, each with file, line, column, field and a hint, and exits with 1; or \`Configuration is valid!\`, and exits with 0. Warnings go to standard error and do not change the exit code.

## Where it is read from

| Flag | Source |
| --- | --- |
| \`-f FILE\`, \`--file FILE\` | A file. It is watched and reloaded when it changes. |
| \`-f -\` | Standard input, read once. |
| \`-c TEXT\`, \`--config TEXT\` | The text itself. |
| none | \`/config/config.yaml\`, else \`$XDG_CONFIG_HOME/agentgateway/config.yaml\` (\`~/.config\` if the variable is not set). If there is none, the gateway exits with an error. |

The file is YAML 1.2 or JSON; anchors, aliases and merge keys (\`<<\`) are supported. An invalid file is rejected as a whole, and the gateway keeps the active configuration. Paths in the file, such as those of keys and documents, are relative to the working directory of the gateway.

## Variables in the file

| Written | Becomes |
| --- | --- |
| \`$NAME\`, \`\${NAME}\` | The environment variable. Names are upper-case letters, digits and \`_\`. An unset variable is an error. |
| \`\${NAME:-default}\` | The variable, or the default if it is unset or empty. |
| \`$$\` | \`$\` |
| \`\${CONFIG_DIR}\` | The directory of the configuration file, unless an environment variable of that name is set. |
| any other \`$\` | Unchanged, as in password hashes such as \`$apr1$salt$hash\`. |

Variables are substituted in values after the file was parsed: not in comments or field names, and they cannot add fields. An unquoted value gets the type of the substituted text. Inside \`{ }\` and \`[ ]\`, quote \`"\${NAME}"\`. Messages do not contain substituted values.

## Environment

These variables override the file.

| Variable | Field |
| --- | --- |
| \`ADMIN_ADDR\`, \`STATS_ADDR\`, \`READINESS_ADDR\` | \`config.adminAddr\`, \`config.statsAddr\`, \`config.readinessAddr\` |
| \`CONNECTION_TERMINATION_DEADLINE\`, \`CONNECTION_MIN_TERMINATION_DEADLINE\` | \`config.connectionTerminationDeadline\`, \`config.connectionMinTerminationDeadline\` |
| \`TERMINATION_GRACE_PERIOD_SECONDS\` | The termination deadline if neither its variable nor its field is set: 5 s less than the grace period if that is 11 s or more, otherwise 1 s less, at least 1 s. |
| \`IPV6_ENABLED\` | \`config.enableIpv6\` |
| \`DNS_LOOKUP_FAMILY\` | \`config.dns.lookupFamily\` |
| \`GUARDRAIL_WEBHOOK_MAX_CONNECTIONS\` | No field. Maximum connections to each address of a guardrail webhook. Default: 100; 0 disables the limit. |
| \`GUARDRAIL_WEBHOOK_KEEPALIVE_SECONDS\` | No field. Idle timeout of these connections. Default: 300. |
| \`LOG_FORMAT\` | \`config.logging.format\` |
| \`SESSION_KEY\` | \`config.session.key\`; several keys are separated by commas |
| \`OIDC_COOKIE_SECRET\` | The same, for login sessions |

## Which route is chosen

Routes are compared by host first: an exact name, then the longest \`*.suffix\`, then routes without host names. Then by path: exact paths, then prefixes and regular expressions, longer ones first. Then matches with a method, with more header conditions, with more query conditions, and finally the order in the file. Of identical matches the first in the file is selected. The others are unreachable, which is a warning at load, with \`--validate-only\` and in \`/config_dump\`.

A route without \`matches\` serves every path. Local limits apply to one process.`
