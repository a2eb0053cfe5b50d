// Carries out a plan with an MCP client of the TypeScript SDK, of either generation: `v1.mjs` and `v2.mjs` say how theirs is called.
//
// The plan is the one argument, JSON:
//   http: URL, or stdio: [COMMAND, ARGUMENTS…] with cwd and env
//   era: "legacy" (initialize), "auto", or a version that must be had ("2026-07-28")
//   answers: what the client answers when it is asked, in turn: [{action: "accept", content: {…}}, {action: "decline"}]. Without
//            answers the client does not say that it can be asked.
//   steps: [{list: true}, {call: NAME, arguments: {…}, cancel: "on_progress"}]
// What came of it is printed as one line of JSON: {protocol, server, steps: [{result}|{error, …, progress}], asked, logs, stderr}.

export async function drive(plan, { open, list, call, on_asked, on_log, about }) {
  const asked = [];
  const logs = [];
  const answers = [...(plan.answers ?? [])];
  const can_be_asked = plan.answers !== undefined;
  const { client, transport } = open(plan, { elicitation: can_be_asked });
  let stderr = '';
  transport.stderr?.on('data', (bytes) => (stderr += bytes));
  if (can_be_asked) {
    on_asked(client, (params) => {
      asked.push(params);
      return answers.shift() ?? { action: 'cancel' };
    });
  }
  on_log(client, (params) => logs.push(params));
  const steps = [];
  let told = {};
  try {
    await client.connect(transport);
    told = about(client);
    for (const step of plan.steps) {
      steps.push(await carry_out(step, client, list, call));
    }
    await client.close();
  } catch (error) {
    told.failed = faults(error);
  }
  return { ...told, steps, asked, logs, stderr };
}

async function carry_out(step, client, list, call) {
  const progress = [];
  const cancel = new AbortController();
  const options = {
    signal: cancel.signal,
    timeout: step.timeout_ms ?? 30_000,
    onprogress: (said) => {
      progress.push(said);
      if (step.cancel === 'on_progress') {
        cancel.abort('no longer wanted');
      }
    },
  };
  try {
    const result = step.list
      ? await every_page(client, list)
      : await call(client, { name: step.call, arguments: step.arguments }, options);
    return { result, progress };
  } catch (error) {
    return { error: faults(error), progress };
  }
}

async function every_page(client, list) {
  const tools = [];
  let cursor;
  do {
    const page = await list(client, cursor);
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { tools };
}

function faults(error) {
  return { name: error?.name, code: error?.code, message: String(error?.message ?? error), data: error?.data };
}

/** Runs the plan of the command line and ends the process, whatever still hangs. */
export async function main(client) {
  const done = await drive(JSON.parse(process.argv[2]), client);
  process.stdout.write(JSON.stringify(done) + '\n', () => process.exit(0));
}
