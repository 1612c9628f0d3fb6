import { pageOrLast } from './pages.js';
import { answerOf, api } from './request.js';
import type { NotificationKind } from './types.js';

/* Calls about notifications. */

const ROWS = 20;

export const notifications = (asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/notifications', { params: { query: { page, pageSize: ROWS } } })),
  );

export const countUnread = async () =>
  (await answerOf(api.GET('/v1/notifications', { params: { query: { page: 1, pageSize: 1 } } }))).unread;

export const markRead = (ids?: string[]) =>
  answerOf(api.POST('/v1/notifications/read', { body: ids ? { ids } : {} }));

export const notificationSettings = () => answerOf(api.GET('/v1/notification-settings'));

export const setNotification = (body: { kind: NotificationKind; mail: boolean; push: boolean }) =>
  answerOf(api.PUT('/v1/notification-settings', { body }));

export const pushBrowsers = () => answerOf(api.GET('/v1/push-subscriptions'));

export const addPushBrowser = (body: { endpoint: string; p256dh: string; auth: string }) =>
  answerOf(api.POST('/v1/push-subscriptions', { body }));

export const removePushBrowser = (subscriptionId: string) =>
  answerOf(api.DELETE('/v1/push-subscriptions/{subscriptionId}', { params: { path: { subscriptionId } } }));
