// A client made with `@modelcontextprotocol/client`, the second generation of the TypeScript SDK. See `drive.mjs`.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport, getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { main } from './drive.mjs';

const modes = { legacy: 'legacy', auto: 'auto' };

await main({
  open(plan, { elicitation }) {
    const era = plan.era ?? 'auto';
    const client = new Client(
      { name: 'sdk-v2', version: '1.0.0' },
      {
        capabilities: elicitation ? { elicitation: { form: {} } } : {},
        versionNegotiation: { mode: modes[era] ?? { pin: era }, probe: { timeoutMs: 20_000 } },
      },
    );
    if (plan.http) {
      return { client, transport: new StreamableHTTPClientTransport(new URL(plan.http)) };
    }
    const [command, ...args] = plan.stdio;
    const env = { ...getDefaultEnvironment(), ...plan.env };
    return { client, transport: new StdioClientTransport({ command, args, env, cwd: plan.cwd, stderr: 'pipe' }) };
  },
  list: (client, cursor) => client.listTools({ cursor }),
  // in the new era messages come to the calls that ask for them
  call: (client, params, options) =>
    client.callTool({ ...params, _meta: { 'io.modelcontextprotocol/logLevel': 'info' } }, options),
  on_asked: (client, answer) => client.setRequestHandler('elicitation/create', (request) => answer(request.params)),
  on_log: (client, log) => client.setNotificationHandler('notifications/message', (said) => log(said.params)),
  about: (client) => ({ protocol: client.getNegotiatedProtocolVersion(), server: client.getServerVersion() }),
});
