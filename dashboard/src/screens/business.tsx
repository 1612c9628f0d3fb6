import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { business as readBusiness, saveBusiness } from '../api/calls.js';
import { ApiError } from '../api/request.js';
import type { Business as Details } from '../api/types.js';
import { Card } from '../parts/bits.js';
import { Failure, Refused } from '../parts/failure.js';
import { useTitle } from '../parts/title.js';
import { Waiting } from '../parts/waiting.js';
import { useUser } from '../session.js';

export function Business() {
  useTitle('Business details');
  const query = useQuery({ queryKey: ['business'], queryFn: readBusiness });
  return (
    <Stack gap="lg" maw={640}>
      <div>
        <Title order={1}>Business details</Title>
        <Text c="dimmed" size="sm">
          Your wallets belong to this business.
        </Text>
      </div>
      <Card title={query.data ? 'Your business' : 'Register your business'}>
        {query.data !== undefined ? (
          <Form details={query.data} />
        ) : query.isError ? (
          <Failure error={query.error} what="Your business" onRetry={() => void query.refetch()} />
        ) : (
          <Waiting rows={3} />
        )}
      </Card>
    </Stack>
  );
}

function Form({ details }: { details: Details | null }) {
  const user = useUser();
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      businessName: details?.name ?? '',
      contactEmail: details?.contactEmail ?? user.email,
      contactPhone: details?.contactPhone ?? '',
    },
  });
  const save = useMutation({
    mutationFn: saveBusiness,
    onSuccess: (saved) => client.setQueryData(['business'], saved),
    onError: (error) => form.setErrors(error instanceof ApiError ? error.fields : {}),
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ contactPhone, ...rest }) =>
        save.mutate({ ...rest, contactPhone: contactPhone.trim() || null }),
      )}
    >
      <Stack>
        <TextInput
          label="Name"
          required
          autoComplete="organization"
          {...form.getInputProps('businessName')}
        />
        <TextInput
          label="Contact e-mail"
          type="email"
          required
          autoComplete="email"
          {...form.getInputProps('contactEmail')}
        />
        <TextInput
          label="Contact phone"
          description="With the country code, such as +234 801 234 5678"
          type="tel"
          autoComplete="tel"
          {...form.getInputProps('contactPhone')}
        />
        {save.error instanceof ApiError && Object.keys(save.error.fields).length === 0 && (
          <Refused error={save.error} />
        )}
        <Group>
          <Button type="submit" loading={save.isPending}>
            {details ? 'Save' : 'Register'}
          </Button>
          {save.isSuccess && (
            <Alert role="status" variant="light" color="teal" py={6} px="sm">
              <Text size="sm">Saved.</Text>
            </Alert>
          )}
        </Group>
      </Stack>
    </form>
  );
}
