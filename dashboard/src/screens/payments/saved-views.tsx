import { Button, CloseButton, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { queryKeys } from '../../api/query-keys.js';
import { removeView, type SavedView, savedViewsQuery, saveView } from '../../api/search.js';
import { NameForm } from '../../parts/forms/name-form.js';
import { Modal } from '../../parts/display/windows.js';
import { useAddress } from '../../parts/state/use-address.js';
import { refused, toast } from '../../parts/toasts/toasts.js';
import { filtersOf, isFiltered } from '../../payments/payment-filters.js';

const NAME_MAX = 50;

/** Searches saved under a name, and a way to save the present one. */
export function SavedViews() {
  const client = useQueryClient();
  const address = useAddress();
  const { data: views = [] } = useQuery(savedViewsQuery);
  const [isNaming, setIsNaming] = useState(false);
  const show = (changed: SavedView[]) => client.setQueryData(queryKeys.savedViews, changed);
  const removing = useMutation({
    mutationFn: ({ name }: SavedView) => removeView(name),
    onSuccess: (changed, view) => {
      show(changed);
      void toast({
        tone: 'info',
        message: `View “${view.name}” removed`,
        undo: () => void saveView(view).then(show, refused),
      });
    },
    onError: refused,
  });
  const filters = filtersOf(address.get);
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== '')).toString();
  const isSaved = views.some((view) => view.query === query);
  if (views.length === 0 && !isFiltered(filters)) return null;
  return (
    <Group gap="xs">
      {views.map((view) => (
        <span key={view.name} className="view">
          <Link to={`?${view.query}`} aria-current={view.query === query ? 'true' : undefined}>
            {view.name}
          </Link>
          <CloseButton
            size={30}
            iconSize={14}
            aria-label={`Remove the view ${view.name}`}
            onClick={() => removing.mutate(view)}
          />
        </span>
      ))}
      {isFiltered(filters) && !isSaved && (
        <Button variant="subtle" size="xs" onClick={() => setIsNaming(true)}>
          Save this view
        </Button>
      )}
      <Modal opened={isNaming} onClose={() => setIsNaming(false)} title="Save this view">
        <NameForm
          keptAs="name of a view"
          description="A view of the same name is replaced"
          maxLength={NAME_MAX}
          save={(name) => saveView({ name, query })}
          onSaved={(changed) => {
            show(changed);
            setIsNaming(false);
          }}
          onCancel={() => setIsNaming(false)}
        />
      </Modal>
    </Group>
  );
}
