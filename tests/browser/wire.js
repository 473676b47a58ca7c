// Installed before anything of the page: every body that the page itself fetched, as it came.
window.bodies = [];
{
  const real = window.fetch;
  window.fetch = async (...request) => {
    const response = await real(...request), body = response.clone().body;
    if (body) {
      const place = bodies.push("") - 1, words = new TextDecoder(), reader = body.getReader();
      const read = ({ done, value }) => {
        if (done) return;
        bodies[place] += words.decode(value, { stream: true });
        next();
      };
      const next = () => reader.read().then(read, () => {});
      next();
    }
    return response;
  };
}
