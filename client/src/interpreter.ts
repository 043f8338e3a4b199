import type { Log } from "./logger";

/** A Python, and why it is this one: the reason is shown to the user. */
export interface Interpreter {
  path: string;
  reason: string;
}

/** A place to look for the user's Python. `find` may be slow, fail or never answer. */
export interface Source {
  name: string;
  find(): Promise<Interpreter | undefined> | Interpreter | undefined;
}

/** The user named an interpreter that cannot be used: nothing else is tried in its place. */
export class BadSetting extends Error {}

const BUDGET_MS = 100;

/**
 * The first source that has an answer within its budget; the order is the precedence. A source that answers
 * too late is reported through `late`, so that the choice can be made again without ever waiting for it.
 */
export async function choose(
  sources: readonly Source[],
  log: Log,
  late: () => void = () => undefined,
  budget: number = BUDGET_MS,
): Promise<Interpreter | undefined> {
  for (const source of sources) {
    const found = await within(source, budget, log, late);
    if (found !== undefined) {
      log.info(`Interpreter: ${found.path} (${found.reason}).`);
      return found;
    }
    log.debug(`Interpreter: nothing from ${source.name}.`);
  }
  log.warn("Interpreter: none found.");
  return undefined;
}

async function within(
  source: Source,
  budget: number,
  log: Log,
  late: () => void,
): Promise<Interpreter | undefined> {
  let isOver = false;
  const asked = (async () => {
    try {
      const found = await source.find();
      if (isOver && found !== undefined) {
        late();
      }
      return found;
    } catch (error) {
      if (error instanceof BadSetting) {
        throw error;
      }
      log.warn(`Interpreter: ${source.name} failed: ${String(error)}`);
      return undefined;
    }
  })();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      isOver = true;
      log.debug(`Interpreter: ${source.name} has not answered within ${budget} ms.`);
      resolve(undefined);
    }, budget);
  });
  try {
    return await Promise.race([asked, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
