import type { LanguageModel } from '../../src/quality/evals/model.ts';
import type { Model } from '../../src/settings/model.ts';

/** A configured model, by the package of its vendor, which is loaded now. */
export async function createModel(name: string, model: Model): Promise<LanguageModel> {
  if (model.type === 'claude') return (await import('./claude.ts')).createClaude(name, model);
  return (await import('./openai.ts')).createOpenAi(name, model);
}
