import type { LanguageModel } from '../../src/quality/evals/model.ts';
import type { Model } from '../../src/settings/model.ts';

/** Creates a configured model and loads the package of its vendor. */
export async function createModel(name: string, model: Model): Promise<LanguageModel> {
  if (model.type === 'claude') return (await import('./claude.ts')).createClaude(name, model);
  return (await import('./openai.ts')).createOpenAi(name, model);
}
