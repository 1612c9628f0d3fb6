/** Stands where it isn't known yet who is signed in; the same as the page before its first script. */
export function Splash() {
  return (
    <div className="splash" role="status">
      <img src="/favicon.svg" width={40} height={40} alt="Loading" />
    </div>
  );
}
