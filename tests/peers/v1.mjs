// A client made with `@modelcontextprotocol/sdk`, the first generation of the TypeScript SDK. See `drive.mjs`.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport, getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { main } from './drive.mjs';

await main({
  open(plan, { elicitation }) {
    const client = new Client({ name: 'sdk-v1', version: '1.0.0' }, { capabilities: elicitation ? { elicitation: {} } : {} });
    if (plan.http) {
      return { client, transport: new StreamableHTTPClientTransport(new URL(plan.http)) };
    }
    const [command, ...args] = plan.stdio;
    const env = { ...getDefaultEnvironment(), ...plan.env };
    const transport = new StdioClientTransport({ command, args, env, cwd: plan.cwd, stderr: 'pipe' });
    transport.setProtocolVersion = (version) => (transport.protocolVersion = version); // as the other transport does
    return { client, transport };
  },
  list: (client, cursor) => client.listTools({ cursor }),
  call: (client, params, options) => client.callTool(params, undefined, options),
  on_asked: (client, answer) => client.setRequestHandler(ElicitRequestSchema, (request) => answer(request.params)),
  on_log: (client, log) => client.setNotificationHandler(LoggingMessageNotificationSchema, (said) => log(said.params)),
  about: (client) => ({ protocol: client.transport?.protocolVersion, server: client.getServerVersion() }),
});
