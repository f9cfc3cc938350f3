import Fastify from 'fastify'
import { price } from './price.js'

const app = Fastify()

app.get('/price/:item', async (request) => ({ price: price(request.params.item) }))

await app.listen({ port: Number(process.env.PORT ?? 3000) })
