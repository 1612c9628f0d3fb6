import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { queryKeys } from './query-keys.js';
import { answerOf, api, data } from './request.js';
import type { components } from './schema.js';

/** Fewer letters name too much. */
const LETTERS_MIN = 2;
const LETTERS_MAX = 200;
/** A key typed in full stays in the browser: it is found by how it begins. */
const KEY_SHOWN = 16;
const WHOLE_KEY = /^apw_live_[\w-]{10,}$/;

export const searchQuery = (typed: string) => {
  const trimmed = typed.trim().slice(0, LETTERS_MAX);
  const words = WHOLE_KEY.test(trimmed) ? trimmed.slice(0, KEY_SHOWN) : trimmed;
  return queryOptions({
    queryKey: queryKeys.search(words),
    queryFn: ({ signal }) =>
      data(answerOf(api.GET('/v1/search', { params: { query: { q: words } }, signal }))),
    enabled: words.length >= LETTERS_MIN,
    placeholderData: keepPreviousData,
  });
};

export type SavedView = components['schemas']['SavedViewView'];

export const savedViewsQuery = queryOptions({
  queryKey: queryKeys.savedViews,
  queryFn: () => viewsIn(answerOf(api.GET('/v1/saved-views'))),
});

export const saveView = (view: SavedView) => viewsIn(answerOf(api.POST('/v1/saved-views', { body: view })));

export const removeView = (name: string) =>
  viewsIn(answerOf(api.POST('/v1/saved-views/remove', { body: { name } })));

const viewsIn = async (answer: Promise<{ data: { views: SavedView[] } }>) => (await data(answer)).views;
