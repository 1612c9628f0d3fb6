import { expect, it } from '@jest/globals';
import { SubmissionQueue } from './submission-queue.js';

it('gives the oldest first, at most as many as asked for', () => {
  const queue = new SubmissionQueue<string>(3, 10, () => 0);
  queue.add(['a', 'b'], 0);
  queue.add(['c'], 0);
  expect(queue.dequeue(2)).toEqual(['a', 'b']);
  expect(queue.size).toBeGreaterThan(0);
  expect(queue.dequeue(2)).toEqual(['c']);
  expect(queue.size).toBe(0);
});

it('has room up to its bound', () => {
  const queue = new SubmissionQueue<string>(3, 10, () => 0);
  queue.add(['a', 'b'], 0);
  expect([queue.hasRoom(1), queue.hasRoom(2)]).toEqual([true, false]);
  queue.drain();
  expect([queue.hasRoom(3), queue.hasRoom(4)]).toEqual([true, false]);
});

it('keeps what it has for its time from the lease on, and no millisecond longer', () => {
  let now = 105;
  const queue = new SubmissionQueue<string>(10, 10, () => now);
  queue.add(['old'], 100);
  queue.add(['young'], 101);
  now = 109;
  expect(queue.dequeue(1)).toEqual(['old']);
  queue.add(['old'], 100);
  now = 110;
  expect(queue.dequeue(2)).toEqual(['young']);
  expect(queue.size).toBe(0);
});

it('gives back those that waited too long, and keeps the others', () => {
  let now = 100;
  const queue = new SubmissionQueue<string>(10, 10, () => now);
  queue.add(['old', 'old too'], 100);
  queue.add(['young'], 101);
  expect(queue.takeExpired()).toEqual([]);
  now = 110;
  expect(queue.takeExpired()).toEqual(['old', 'old too']);
  expect(queue.dequeue(3)).toEqual(['young']);
  queue.add(['young'], 101);
  now = 111;
  expect(queue.takeExpired()).toEqual(['young']);
  expect(queue.size).toBe(0);
});

it('drains those that waited too long as well: whether their lease still holds is for the database to say', () => {
  let now = 100;
  const queue = new SubmissionQueue<string>(10, 10, () => now);
  queue.add(['old'], 100);
  now = 110;
  queue.add(['young'], 110);
  expect([queue.drain(), queue.size]).toEqual([['old', 'young'], 0]);
});
