/** SQL: the first local midnight, where there are two. */
export function firstMidnight(local: string, zone: string): string {
  return `(CASE WHEN (${local} AT TIME ZONE ${zone} - interval '1 hour') AT TIME ZONE ${zone} >= ${local}
         THEN ${local} AT TIME ZONE ${zone} - interval '1 hour' ELSE ${local} AT TIME ZONE ${zone} END)`;
}
