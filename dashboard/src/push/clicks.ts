import { useEffect } from 'react';
import { useNavigate } from 'react-router';

/** Opens the screen of a clicked notification without a reload. Unless it answers, `/sw.js` loads the page. */
export function useNotificationClicks(): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return;
    const { serviceWorker } = navigator;
    const open = ({ data, ports }: MessageEvent<{ readonly open?: unknown } | null>) => {
      const path = data?.open;
      if (typeof path !== 'string' || !/^\/(?![/\\])/.test(path)) return;
      ports[0]?.postMessage('opened');
      void navigate(path);
    };
    serviceWorker.addEventListener('message', open);
    return () => serviceWorker.removeEventListener('message', open);
  }, [navigate]);
}
